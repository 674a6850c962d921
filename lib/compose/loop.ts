import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { createDeliveryOutcomes } from '../reconcile/runtime/delivery-outcomes.ts'
import {
  createLoop,
  defaultLoopSettings,
  type FinishedPass,
  type Loop,
  type LoopSettings,
} from '../reconcile/runtime/loop.ts'
import type { Addressed, Reconciler } from '../reconcile/runtime/reconciler.ts'
import { createRunRecorder } from '../reconcile/runtime/run-recorder.ts'
import { createUsageRecorder } from '../reconcile/runtime/usage-recorder.ts'
import type { FinishedVisit } from '../reconcile/runtime/visits.ts'
import type { Metrics } from '../signals/metrics/metrics.ts'
import { createAlerting } from '../signals/notify/alerting.ts'
import { createEventRecorder } from '../signals/notify/event-recorder.ts'
import type { Outbox } from '../signals/notify/outbox.ts'
import type { createSenders } from '../signals/notify/senders/all.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Adds the delivery of notifications to the loop: they use its queues. */
const withOutbox = (loop: Loop, outbox: Outbox): Loop => ({
  ...loop,
  handle: (message, signal) => (outbox.owns(message) ? outbox.handle(message) : loop.handle(message, signal)),
  tick: async () => {
    await loop.tick()
    await outbox.sweep()
  },
})

export interface LoopParts {
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  readonly addressed: readonly Addressed[]
  /** For the delivery of notifications. */
  readonly senders?: typeof createSenders
  /** Counts passes for Prometheus. */
  readonly metrics?: Pick<Metrics, 'observe' | 'observeUsage'>
}

const noSenders: typeof createSenders = () => () => {
  throw new Error('notifications are delivered by another process')
}

/** The loop over the kinds that are reconciled here; `addressed` lists those that are reconciled anywhere. */
export const composeLoop = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
  { reconcilers, addressed, senders = noSenders, metrics }: LoopParts,
  pacing: Partial<LoopSettings> = {},
): Loop => {
  const { clock, connections } = ports
  const cloud = { environment: {}, ...ports.identities, fetch: guardedFetch(connections), clock }
  const alerting = createAlerting(
    {
      ...ports,
      hub,
      references: createReferences(hub),
      events: createEventRecorder({ hub, clock }),
      senders: senders(cloud),
    },
    settings,
  )
  const observe = (pass: FinishedPass): void => {
    ports.observe?.(pass)
    metrics?.observe(pass)
    metrics?.observeUsage(pass.used)
  }
  const observeVisit = (visit: FinishedVisit): void => {
    ports.observeVisit?.(visit)
    for (const unchanged of visit.unchanged) metrics?.observe({ ...unchanged, outcome: 'done' })
    for (const used of visit.used) metrics?.observeUsage(used)
  }
  const passes = createLoop(
    {
      ...{ ...ports, hub, events: alerting.events, observe, observeVisit },
      recorder: createRunRecorder(ports, settings.runsRetention),
      deliveryOutcomes: createDeliveryOutcomes(ports),
      recordUsage: createUsageRecorder(ports),
    },
    reconcilers,
    { ...defaultLoopSettings, jitterPercentage: settings.intervalJitterPercentage, ...pacing },
    addressed,
  )
  return withOutbox(passes, alerting.outbox)
}
