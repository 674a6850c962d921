import type { Run } from '../../foundations/kinds/run.ts'
import { unitPaths } from '../../hub-client/fleet-kinds.ts'
import { hubKind } from '../../hub-client/read-object.ts'
import { readUndo, type UndoView } from '../../hub-client/read-undo.ts'
import { type Live, useLive } from '../api/use-live.ts'
import { missingUndo, returnTo } from '../model/undo-actions.ts'
import { Actions } from '../parts/actions.tsx'
import { useConsole } from '../parts/scope.tsx'

interface UnitName {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** What a unit can return to; undefined data for one that can't be undone. */
export const useUndo = (unit: UnitName): Live<UndoView | undefined> => {
  const { api } = useConsole()
  return useLive(api, {
    key: `undo ${unit.kind} ${unit.namespace} ${unit.name}`,
    paths: unitPaths(unit.namespace),
    read: (hub, signal) => readUndo(hub, hubKind(unit.kind), unit, signal),
  })
}

/** On the page of a run: has its unit return to it, if it can. */
export const ReturnTo = ({ run }: { readonly run: Run }) => {
  const { api } = useConsole()
  const { namespace = '', name } = run.metadata
  const { data: view, refresh } = useUndo({ kind: run.unit.kind, namespace, name: run.unit.name })
  if (!view) return null
  const action = returnTo(view, name)
  const missing = view.mayPatch ? [] : missingUndo(view, api.user.name)
  return <Actions actions={action ? [action] : []} missing={missing} refresh={refresh} />
}
