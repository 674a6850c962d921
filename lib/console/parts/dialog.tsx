import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  readonly title: string
  readonly action: string
  readonly isDanger?: boolean
  /** Whether the reason must be given. */
  readonly withReason: boolean
  readonly children?: ComponentChildren
  /** Fails with what the API says. */
  onConfirm(reason: string): Promise<void>
  onClose(): void
}

/** What will happen, in numbers and names, and why: before something that hurts. */
export const Dialog = ({ title, action, isDanger, withReason, children, onConfirm, onClose }: Props) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const confirm = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      await onConfirm(reason.trim())
      onClose()
    } catch (error) {
      setFailure((error as Error).message)
      setBusy(false)
    }
  }
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <form onSubmit={event => void confirm(event)}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        {withReason && (
          <label class="field named">
            Reason, for those who find it so
            <input required value={reason} onInput={event => setReason(event.currentTarget.value)} />
          </label>
        )}
        {failure && (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDanger ? 'danger' : 'main'} disabled={isBusy}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  )
}
