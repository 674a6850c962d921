import { type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import { describeTarget } from '../foundations/kinds/target-reference.ts'
import { ownAccess } from '../foundations/rules/runner-access.ts'
import { pollingPace, waitingPace } from '../hub/runners/pace.ts'
import { watchRunner } from '../hub/runners/watch-runner.ts'
import { createDeliveryOutcomes } from '../reconcile/runtime/delivery-outcomes.ts'
import type { IsElsewhere } from '../reconcile/runtime/elsewhere.ts'
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
import type { Outbox } from '../signals/notify/outbox.ts'
import type { createSenders } from '../signals/notify/senders/all.ts'
import { composeAlerting } from './alerting.ts'
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
  /** What runners reconcile; nothing if the hub serves none. Whether they are there is watched. */
  readonly isElsewhere?: IsElsewhere
  /** Counts passes for Prometheus. */
  readonly metrics?: Pick<Metrics, 'observe' | 'observeUsage'>
}

/** The loop over the kinds that are reconciled here; `addressed` lists those that are reconciled anywhere. */
export const composeLoop = (
  ports: Ports,
  settings: CoreSettings,
  { hub, signRun }: Pick<ComposedHub, 'hub' | 'signRun'>,
  { reconcilers, addressed, senders, metrics, isElsewhere }: LoopParts,
  pacing: Partial<LoopSettings> = {},
): Loop => {
  const alerting = composeAlerting(ports, settings, { hub }, senders)
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
  const { wakeUps, heldWakeUps } = ports
  const waker = wakeUps ?? heldWakeUps
  const watch = watchRunner({ ...ports, hub, recordEvent: alerting.events.record }, wakeUps ? waitingPace : pollingPace)
  const watchElsewhere = async (object: KubernetesObject, isNews: boolean) => {
    const access = isNews ? ownAccess(object) : undefined
    // If that fails, the runner finds the change within half an hour.
    if (access)
      await waker
        ?.send(describeTarget(access))
        .catch(error => ports.log.error('failed to wake a runner', { ...refOf(object), error }))
    return watch(object)
  }
  const passes = createLoop(
    {
      ...{
        ...ports,
        hub,
        events: alerting.events,
        observe,
        observeVisit,
        ...(isElsewhere && { isElsewhere, watchElsewhere }),
      },
      recorder: createRunRecorder({ ...ports, signRun }, settings.runsRetention),
      deliveryOutcomes: createDeliveryOutcomes(ports),
      recordUsage: createUsageRecorder(ports),
    },
    reconcilers,
    { ...defaultLoopSettings, jitterPercentage: settings.intervalJitterPercentage, ...pacing },
    addressed,
  )
  return withOutbox(passes, alerting.outbox)
}
