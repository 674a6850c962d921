import { deliveryMarkOf } from '../../foundations/kinds/delivery-mark.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { DeliveryStore } from '../../platform/ports/deliveries.ts'
import type { End } from './pass-run.ts'
import type { ReconciledStatus } from './transitions.ts'

export interface DeliveryOutcomePorts {
  readonly deliveries: Pick<DeliveryStore, 'addOutcome'>
  readonly clock: Pick<Clock, 'now'>
}

export interface DeliveryOutcomes {
  /** `before` and `after`: the object at the begin and the end of its pass. */
  record(before: KubernetesObject, after: KubernetesObject, end: End): Promise<void>
}

/**
 * Adds the outcome of a pass to the record of the webhook's call that caused it: of the pass that handled the request, and of later ones that end
 * what it left unfinished or failed. All others write nothing.
 */
export const createDeliveryOutcomes = ({ deliveries, clock }: DeliveryOutcomePorts): DeliveryOutcomes => ({
  record: async (before, after, { outcome, isWait, leavesRequest }) => {
    const mark = deliveryMarkOf(before)
    if (!mark || isWait || leavesRequest || outcome === 'waiting' || outcome === 'deleted') return
    const { lastHandledReconcileAt, conditions, ...versions } = (after.status ?? {}) as Status
    if (lastHandledReconcileAt !== mark.requestedAt) return
    const isReady = outcome === 'done'
    const earlier = conditionOf((before.status as ReconciledStatus | undefined)?.conditions, 'Ready')?.status
    const isNews = isReconcileRequested(before) || earlier === 'Unknown' || (isReady && earlier === 'False')
    if (!isNews) return
    const { index, requestedAt: _, ...place } = mark
    const revision = versions.artifact?.revision ?? versions.lastAppliedRevision ?? versions.lastAttemptedRevision
    await deliveries.addOutcome(place, {
      index,
      ready: isReady,
      reason: conditionOf(conditions, 'Ready')?.reason ?? '',
      ...(revision && { revision: revision.slice(0, 200) }),
      at: Math.round(clock.now()),
    })
  },
})

interface Status extends ReconciledStatus {
  readonly lastHandledReconcileAt?: string
  readonly artifact?: { readonly revision?: string }
  readonly lastAppliedRevision?: string
  readonly lastAttemptedRevision?: string
}
