/** The result of the last pass, from the status of an object. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { ReconciledStatus } from './transitions.ts'

/** The status with the fields that all reconciled kinds share; empty before the first pass. */
export const statusOf = (object: KubernetesObject): ReconciledStatus => (object.status ?? {}) as ReconciledStatus

/** The last pass did not finish: it may have stored an artifact, or inputs, without enqueueing the dependents. */
export const mayHavePendingDependents = (object: KubernetesObject): boolean => {
  const { artifact, exportedInputs, conditions } = statusOf(object)
  return (artifact ?? exportedInputs) !== undefined && conditionOf(conditions, 'Reconciling')?.reason === 'Progressing'
}

/** When the object's current failure started; undefined if it is not failing, or was changed since. */
export const failingSince = (object: KubernetesObject): number | undefined => {
  const ready = conditionOf(statusOf(object).conditions, 'Ready')
  if (ready?.status !== 'False' || ready.observedGeneration !== object.metadata.generation) return undefined
  return Date.parse(ready.lastTransitionTime)
}
