import { missingUndo, returnTo } from '../model/undo-actions.ts'
import { useActions } from '../parts/actions.tsx'
import { useConsole } from '../parts/scope.tsx'
import { useUndo } from './return-to.tsx'
import { RunsOfUnit } from './run-list.tsx'

interface Props {
  readonly unit: { readonly kind: string; readonly namespace: string; readonly name: string }
}

/** The runs of a unit, and which of them it can return to. */
export const UnitChanges = ({ unit }: Props) => {
  const { api } = useConsole()
  const { data: view, refresh } = useUndo(unit)
  const { begin, dialog } = useActions(refresh)
  if (!view) return <RunsOfUnit terms={unit} />
  const offer = (name: string) => {
    const action = returnTo(view, name)
    return (
      action && (
        <button type="button" onClick={() => begin(action)}>
          {action.label}
        </button>
      )
    )
  }
  return (
    <>
      {missingUndo(view, api.user.name).map(why => (
        <p key={why} class="quiet">
          {why}
        </p>
      ))}
      <RunsOfUnit terms={unit} actionOf={({ metadata }) => offer(metadata.name)} />
      {dialog}
    </>
  )
}
