import { useState } from 'preact/hooks'
import type { Action } from '../model/action.ts'
import { missingUndo, returnTo } from '../model/undo-actions.ts'
import { usePerform } from '../parts/actions.tsx'
import { Dialog } from '../parts/dialog.tsx'
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
  const [asking, setAsking] = useState<Action>()
  const perform = usePerform(refresh)
  if (!view) return <RunList terms={unit} isWhole />
  const offer = (name: string) => {
    const action = returnTo(view, name)
    return (
      action && (
        <button type="button" onClick={() => setAsking(action)}>
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
      <RunList terms={unit} isWhole actionOf={({ metadata }) => offer(metadata.name)} />
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
