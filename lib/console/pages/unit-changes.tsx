import { missingUndo, returnTo } from '../model/undo-actions.ts'
import { Actions } from '../parts/actions.tsx'
import { useConsole } from '../parts/scope.tsx'
import { useUndo } from './return-to.tsx'
import { RunList } from './run-list.tsx'

interface Props {
  readonly unit: { readonly kind: string; readonly namespace: string; readonly name: string }
}

/** The runs of a unit, and which of them it can return to. */
export const UnitChanges = ({ unit }: Props) => {
  const { api } = useConsole()
  const { data: view, refresh } = useUndo(unit)
  if (!view) return <RunList terms={unit} isWhole />
  const missing = missingUndo(view, api.user.name)
  return (
    <>
      {missing.map(why => (
        <p key={why} class="quiet">
          {why}
        </p>
      ))}
      <RunList
        terms={unit}
        isWhole
        actionOf={({ metadata }) => {
          const action = returnTo(view, metadata.name)
          return action && <Actions actions={[action]} missing={[]} refresh={refresh} />
        }}
      />
    </>
  )
}
