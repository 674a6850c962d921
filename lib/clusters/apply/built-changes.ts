import type { OpenBuilds } from '../../foundations/fleet/head-plan.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { PlannedChange } from './planned-changes.ts'

/** What differs between two builds, in the order of the later one: of a cluster that has exactly the earlier one. */
export const builtChanges = ({ base, head }: OpenBuilds): readonly PlannedChange[] => {
  const before = new Map(base.map(object => [keyOf(object), object]))
  const kept = new Set(head.map(keyOf))
  const written = head.flatMap((desired): PlannedChange | [] => {
    const old = before.get(keyOf(desired))
    const change = { ref: refOf(desired), apiVersion: desired.apiVersion, desired }
    if (!old) return { ...change, action: 'created' }
    return isSameJson(old, desired) ? [] : { ...change, action: 'configured', states: { before: old, after: desired } }
  })
  const deleted = base
    .filter(object => !kept.has(keyOf(object)))
    .map(removed => ({ ref: refOf(removed), apiVersion: removed.apiVersion, action: 'deleted', removed }) as const)
  return [...written, ...deleted]
}

const keyOf = (object: KubernetesObject): string => refKey(refOf(object))
