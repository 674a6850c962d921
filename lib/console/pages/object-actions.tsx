import { useState } from 'preact/hooks'
import type { ObjectView } from '../../hub-client/read-object.ts'
import { resourcePath } from '../../hub-client/resource-path.ts'
import { actionsOf, type Confirmed, missingActions, type ObjectAction } from '../model/object-actions.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useConsole } from '../parts/scope.tsx'
import { useShortcut } from '../parts/shortcuts.tsx'

interface Props {
  readonly view: ObjectView
  readonly refresh: () => void
}

/** What the person may do with the object. Buttons that they may not press are absent, and it says why. */
export const ObjectActions = ({ view, refresh }: Props) => {
  const { api, announce } = useConsole()
  const [asking, setAsking] = useState<ObjectAction>()
  const actions = actionsOf(view)
  const perform = async ({ patches, done }: ObjectAction, confirmed: Confirmed) => {
    for (const { kind, body, ...ref } of patches(confirmed)) await api.mergePatch(resourcePath(kind, ref), body)
    announce(done)
    refresh()
  }
  const begin = (action: ObjectAction) => {
    if (action.question) return setAsking(action)
    perform(action, { reason: '', hours: 0, now: Date.now() }).catch((error: Error) => announce(error.message))
  }
  useShortcut('r', () => {
    const action = actions.find(({ key }) => key === 'r')
    if (action) begin(action)
  })
  return (
    <>
      {missingActions(view, api.user.name).map(why => (
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
      {asking?.question && (
        <Dialog
          question={asking.question}
          isDanger={asking.style === 'danger'}
          onClose={() => setAsking(undefined)}
          onConfirm={confirmed => perform(asking, confirmed)}
        />
      )}
    </>
  )
}
