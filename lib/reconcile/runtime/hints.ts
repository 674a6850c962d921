import { requestedAtOf } from '../../kinds/flux.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { conditionOf } from '../../rules/conditions.ts'
import type { ReconciledStatus } from './transitions.ts'

/**
 * What an object asks of its reconciler, as one word: when it differs from before, a pass is wanted. A change of the
 * spec, a request by annotation and a deletion do; labels and status don't.
 */
export const wishOf = (object: KubernetesObject): string => {
  const { uid, generation, deletionTimestamp } = object.metadata
  return [uid, generation, requestedAtOf(object), deletionTimestamp].join('|')
}

/** Whether there may be something left to do: for a process that starts, and doesn't know what went before. */
export const isUnsettled = (object: KubernetesObject): boolean => {
  const { generation, deletionTimestamp } = object.metadata
  const { observedGeneration, lastHandledReconcileAt, conditions } = (object.status ?? {}) as ReconciledStatus
  return (
    deletionTimestamp !== undefined ||
    generation !== observedGeneration ||
    (requestedAtOf(object) ?? '') !== (lastHandledReconcileAt ?? '') ||
    conditionOf(conditions, 'Reconciling')?.reason === 'Progressing'
  )
}

/** Secrets and ConfigMaps with this label are news for the objects that use them (a contract of Flux). */
export const watchedSelector = 'reconcile.fluxcd.io/watch=Enabled'
