import { undoneKinds } from '../foundations/fleet/undo-targets.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { Run } from '../foundations/kinds/run.ts'
import { isAllowed } from './allowed-actions.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'
import { readRuns } from './read-runs.ts'
import { resourcePath } from './resource-path.ts'

/** A unit, with what it can return to. */
export interface UndoView {
  readonly kind: Kind
  readonly unit: KubernetesObject
  /** The newest ones, the newest first. */
  readonly runs: readonly Run[]
  readonly mayPatch: boolean
}

/** How many of the newest runs are read. */
const maxRuns = 100

/** Undefined for a kind that can't be undone, and for a unit that is gone or may not be read. Fails with ApiFailure or HubUnreachable. */
export const readUndo = async (
  api: HubApi,
  kind: Kind | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): Promise<UndoView | undefined> => {
  if (!kind || !undoneKinds.includes(kind.kind)) return undefined
  try {
    const [unit, { items }, mayPatch] = await Promise.all([
      api.get<KubernetesObject>(resourcePath(kind, { namespace, name }), signal),
      readRuns(api, { kind: kind.kind, namespace, name }, { limit: maxRuns }, signal),
      isAllowed(api, { kind, verb: 'patch', namespace, name }),
    ])
    return { kind, unit: { ...unit, apiVersion: apiVersionOf(kind), kind: kind.kind }, runs: items, mayPatch }
  } catch (error) {
    if (error instanceof ApiFailure && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}
