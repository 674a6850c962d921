import { suspendedByAnnotation } from '../foundations/kinds/flux.ts'
import type { Condition, KubernetesObject } from '../foundations/kinds/object.ts'

/** The state of a reconciled object, for a waiting user. */
export interface ObjectState {
  readonly state: 'ready' | 'progressing' | 'failed' | 'stalled' | 'suspended'
  readonly message: string
}

/** Reads an object's conditions like kstatus: a status older than the spec counts as unknown. */
export const objectStateOf = (object: KubernetesObject): ObjectState => {
  const { spec, status } = object as KubernetesObject & {
    spec?: { suspend?: boolean }
    status?: { observedGeneration?: number; conditions?: readonly Condition[] }
  }
  if (spec?.suspend) {
    const by = object.metadata.annotations?.[suspendedByAnnotation]
    return { state: 'suspended', message: by ? `suspended by ${by}` : 'suspended' }
  }
  const condition = (type: string) => status?.conditions?.find(candidate => candidate.type === type)
  const ready = condition('Ready')
  const stalled = condition('Stalled')
  const message = ready?.message ?? 'waiting to be reconciled'
  if (stalled?.status === 'True') return { state: 'stalled', message: stalled.message }
  const isWaiting = /, retrying in \S+$/.test(message) // for its source or a dependency: nothing is wrong
  if (ready?.status === 'False' && !isWaiting) return { state: 'failed', message: `${ready.reason}: ${message}` }
  const current = status?.observedGeneration === object.metadata.generation
  if (ready?.status === 'True' && current) return { state: 'ready', message }
  return { state: 'progressing', message: condition('Reconciling')?.message ?? message }
}

/**
 * Whether waiting for these objects may end: `ready` if all are (suspended ones don't count), `stalled` if one can't proceed without a
 * change, otherwise `open`: a failed object is retried and may depend on another's progress.
 */
export const readinessOf = (states: readonly ObjectState[]): 'ready' | 'stalled' | 'open' => {
  const awaited = states.filter(({ state }) => state !== 'suspended')
  if (awaited.some(({ state }) => state === 'stalled')) return 'stalled'
  return awaited.every(({ state }) => state === 'ready') ? 'ready' : 'open'
}
