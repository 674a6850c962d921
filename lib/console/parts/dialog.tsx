import { useEffect, useRef, useState } from 'preact/hooks'
import type { Confirmed, Question } from '../model/action.ts'
import { TakenBack } from './taken-back.tsx'

interface Props {
  readonly question: Question
  readonly isDanger: boolean
  /** Fails with what the API says. */
  onConfirm(confirmed: Confirmed): Promise<void>
  onClose(): void
}

/** What will happen, in numbers and names, and why: before something that hurts. */
export const Dialog = ({ question, isDanger, onConfirm, onClose }: Props) => {
  const { title, text, note, takenBack = [], confirm: action, reason: asked, hours: choices } = question
  const dialog = useRef<HTMLDialogElement>(null)
  const [reason, setReason] = useState('')
  const [hours, setHours] = useState(choices?.[0] ?? 0)
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  useEffect(() => dialog.current?.showModal(), [])
  const confirm = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      await onConfirm({ reason: reason.trim(), hours, now: Date.now() })
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
        <p class="break lines">{text}</p>
        {note && <p class="quiet">{note}</p>}
        {takenBack.length > 0 && <TakenBack runs={takenBack} />}
        {choices && (
          <label class="field named">
            For
            <select value={hours} onChange={event => setHours(Number(event.currentTarget.value))}>
              {choices.map(many => (
                <option key={many} value={many}>
                  {many === 1 ? 'an hour' : `${many} hours`}
                </option>
              ))}
            </select>
          </label>
        )}
        {asked && (
          <label class="field named">
            {asked.label}
            <input
              required={asked.isRequired}
              {...(asked.isRequired && { pattern: '.*\\S.*' })}
              value={reason}
              onInput={event => setReason(event.currentTarget.value)}
            />
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
