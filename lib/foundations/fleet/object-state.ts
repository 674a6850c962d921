import { isSuspended, suspendedByAnnotation, suspendedForAnnotation } from '../kinds/flux.ts'
import { isDisabled } from '../kinds/flux-operator.ts'
import type { Condition, KubernetesObject } from '../kinds/object.ts'
import { pinnedCondition } from '../kinds/rollout.ts'
import { undone } from '../kinds/undo.ts'
import { conditionOf } from '../rules/conditions.ts'

/** The state of a reconciled object, for a waiting user. */
export interface ObjectState {
  readonly state: 'ready' | 'progressing' | 'failed' | 'stalled' | 'suspended'
  readonly message: string
}

/** A condition of an object's status. */
export const statusCondition = ({ status }: KubernetesObject, type: string): Condition | undefined =>
  conditionOf((status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions, type)

/** What a unit that was undone keeps, and why; undefined for others. */
export const undoneMessage = (object: KubernetesObject): string | undefined => {
  const pinned = statusCondition(object, pinnedCondition)
  return pinned?.reason === undone && pinned.status === 'True' ? pinned.message : undefined
}

/** Whether an object waits for its source or a dependency: nothing is wrong with itself. */
const isWaitingMessage = (message: string): boolean => /, retrying in \S+$/.test(message)

/** Whether an object is suspended: by its spec, or by an annotation. */
export const isOff = (object: KubernetesObject): boolean => isSuspended(object) || isDisabled(object)

/** Reads an object's conditions like kstatus: a status older than the spec counts as unknown. */
export const objectStateOf = (object: KubernetesObject): ObjectState => {
  const { status } = object as KubernetesObject & { status?: { observedGeneration?: number } }
  if (isOff(object)) return { state: 'suspended', message: suspensionOf(object) }
  const ready = statusCondition(object, 'Ready')
  const stalled = statusCondition(object, 'Stalled')
  const message = ready?.message ?? 'waiting to be reconciled'
  if (stalled?.status === 'True') return { state: 'stalled', message: stalled.message }
  if (ready?.status === 'False' && !isWaitingMessage(message))
    return { state: 'failed', message: `${ready.reason}: ${message}` }
  const current = (status?.observedGeneration ?? ready?.observedGeneration) === object.metadata.generation
  if (ready?.status === 'True' && current) return { state: 'ready', message }
  return { state: 'progressing', message: statusCondition(object, 'Reconciling')?.message ?? message }
}

const suspensionOf = ({ metadata: { annotations = {} } }: KubernetesObject): string => {
  const { [suspendedByAnnotation]: by, [suspendedForAnnotation]: reason } = annotations
  return `suspended${by ? ` by ${by}` : ''}${reason ? `: ${reason}` : ''}`
}
