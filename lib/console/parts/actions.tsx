import { useState } from 'preact/hooks'
import { sendRequests } from '../../hub-client/send-requests.ts'
import type { Action, Confirmed } from '../model/action.ts'
import { Dialog } from './dialog.tsx'
import { useConsole } from './scope.tsx'
import { useShortcut } from './shortcuts.tsx'

interface Props {
  readonly actions: readonly Action[]
  /** Why others are absent, in sentences. */
  readonly missing: readonly string[]
  readonly refresh: () => void
}

/** Begins an action: goes through with it, or opens the dialog that confirms it first. The dialog belongs on the page. */
export const useActions = (refresh: () => void) => {
  const { api, announce } = useConsole()
  const [asking, setAsking] = useState<Action>()
  const perform = async ({ requests, done }: Action, confirmed: Confirmed): Promise<void> => {
    await sendRequests(api, requests(confirmed))
    announce(done)
    refresh()
  }
  const begin = (action: Action) => {
    if (action.question) return setAsking(action)
    perform(action, { reason: '', hours: 0, now: Date.now() }).catch((error: Error) => announce(error.message))
  }
  const dialog = asking?.question && (
    <Dialog
      question={asking.question}
      isDanger={asking.style === 'danger'}
      onClose={() => setAsking(undefined)}
      onConfirm={confirmed => perform(asking, confirmed)}
    />
  )
  return { begin, dialog }
}

/** Buttons for what the person may do. Those that they may not press are absent, and it says why. */
export const Actions = ({ actions, missing, refresh }: Props) => {
  const { begin, dialog } = useActions(refresh)
  useShortcut('r', () => {
    const action = actions.find(({ key }) => key === 'r')
    if (action) begin(action)
  })
  return (
    <>
      {missing.map(why => (
        <p key={why} class="quiet why-not" title={why}>
          {why}
        </p>
      ))}
      {actions.map(action => (
        <button
          key={action.label}
          type="button"
          class={action.style === 'plain' ? undefined : action.style}
          onClick={() => begin(action)}
        >
          {action.label}
        </button>
      ))}
      {dialog}
    </>
  )
}
