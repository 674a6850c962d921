import { requestedAtOf } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { backOff, withJitter } from '../../foundations/rules/schedule.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'
import type { Visits } from '../../platform/ports/visits.ts'
import type { EventRecorder } from '../../signals/notify/event-recorder.ts'
import { removeFinalizer } from './finalizer.ts'
import { failingSince, mayHavePendingDependents, statusOf } from './last-pass.ts'
import { lostAfterMs } from './lost-messages.ts'
import { enqueueDependents } from './news.ts'
import { passOf } from './pass-of-run.ts'
import type { End, PassRun, PassSettings } from './pass-run.ts'
import type { Addressed, Done, Failed, Held, Outcome, Resting, Stalled } from './reconciler.ts'
import { redactedEvent } from './redaction.ts'
import { isolation } from './suspects.ts'
import * as to from './transitions.ts'

export interface PassPorts {
  readonly hub: Hub
  readonly queue: Queue
  readonly events: EventRecorder
  readonly clock: Clock
  readonly schedule: Schedule
  readonly visits: Visits
  readonly random: Random
  readonly log: Log
}

type NextPass = Pick<End, 'due' | 'dueStored'>

/** The three kinds of passes: reconcile an object, acknowledge a suspended one, and finalize a deleted one. */
export const createPasses = (ports: PassPorts, reconcilers: readonly Addressed[], settings: PassSettings) => {
  const { hub, events, clock, random, log } = ports

  const reconcile = async (run: PassRun): Promise<End> => {
    const outcome =
      isolation(run.lease) ?? (await run.reconciler.reconcile(run.object, passOf(run, settings)).catch(unexpected(run)))
    return settle(run, outcome)
  }

  const settle = async (run: PassRun, outcome: Outcome<KubernetesObject>): Promise<End> => {
    const { object, writer } = run
    if (outcome.type === 'done') {
      if (isUnchanged(run, outcome)) return checkAgainLater(run, outcome)
      await storeArtifact(run, outcome)
    }
    if (outcome.type === 'held') writer.restore()
    writer.change(to.changed(outcome))
    const handlesRequest = !('leavesRequest' in outcome && outcome.leavesRequest)
    if (handlesRequest) writer.change(to.requestHandled(requestedAtOf(object)))
    const end = await endWith(run, outcome)
    return handlesRequest ? end : { ...end, leavesRequest: true }
  }

  const endWith = async (run: PassRun, outcome: Outcome<KubernetesObject>): Promise<End> => {
    switch (outcome.type) {
      case 'done':
        return succeed(run, outcome)
      case 'waiting':
        if (outcome.observed) run.writer.change(to.observed)
        return { outcome: 'waiting', ...(await conclude(run, clock.now() + outcome.afterMs)) }
      case 'resting':
        return rested(run, outcome)
      case 'held':
        return hold(run, outcome)
      case 'failed':
      case 'stalled':
        return fail(run, outcome)
    }
  }

  /**
   * Stores the artifact first, while the conditions still say `Progressing`: dependents must find it when their messages arrive. The generation
   * counts as observed by then, as a HelmRelease does not use an artifact of an earlier generation.
   */
  const storeArtifact = async ({ object, writer }: PassRun, outcome: Done<KubernetesObject>): Promise<void> => {
    if (outcome.triggersDependents !== 'artifact' && !mayHavePendingDependents(object)) return
    writer.change(to.inOrder(to.changed({ status: outcome.status }), to.observed))
    await writer.store()
    await enqueueDependents(ports, reconcilers, refOf(object))
  }

  const isUnchanged = ({ writer, events: occurred }: PassRun, outcome: Done<KubernetesObject>): boolean => {
    if (!outcome.routine || outcome.triggersDependents || occurred.length > 0) return false
    const { reason, message, ofGeneration } = outcome
    return !writer.wouldChange(to.inOrder(to.changed(outcome), to.asOf(ofGeneration, to.succeeded(reason, message))))
  }

  /** Nothing has changed: the progress of the pass is not stored. */
  const checkAgainLater = async (run: PassRun, { reason, message, afterMs }: Done<KubernetesObject>): Promise<End> => {
    run.writer.discard()
    return { outcome: 'done', reason, message, isAtRest: true, ...(await conclude(run, nextOf(run, afterMs))) }
  }

  const nextOf = (run: PassRun, afterMs: number | undefined): number | undefined =>
    run.visited && afterMs === undefined ? undefined : clock.now() + (afterMs ?? intervalOf(run))

  const intervalOf = ({ reconciler, object }: PassRun): number =>
    withJitter(reconciler.intervalOf(object), settings.jitterPercentage, random.fraction())

  const succeed = async (run: PassRun, outcome: Done<KubernetesObject>): Promise<End> => {
    const { object, writer } = run
    const { reason, message, triggersDependents: trigger, ofGeneration } = outcome
    writer.change(to.asOf(ofGeneration, to.succeeded(reason, message)))
    const next = await conclude(run, nextOf(run, outcome.afterMs))
    if (trigger === 'readiness') await enqueueDependents(ports, reconcilers, refOf(object))
    return { outcome: 'done', reason, message, ...next }
  }

  const fail = async (run: PassRun, outcome: Failed<KubernetesObject> | Stalled<KubernetesObject>): Promise<End> => {
    const { object, writer } = run
    const { reason, message, cause = message } = outcome
    const since = failingSince(object)
    const step =
      outcome.type === 'failed'
        ? to.failed(reason, message, since, outcome.keepsReconciling)
        : to.stalled(reason, message, outcome.unobserved !== true, outcome.ready)
    writer.change(to.asOf(outcome.ofGeneration, step))
    warn(run, outcome)
    const next = await conclude(run, outcome.type === 'failed' ? retryAt(outcome, since) : stalledUntil(outcome))
    const isWait = outcome.type === 'failed' && outcome.isWait === true
    return { outcome: outcome.type, reason, message, cause, ...(isWait && { isWait }), ...next }
  }

  const rested = async (run: PassRun, { reason, message }: Resting<KubernetesObject>): Promise<End> => {
    const { object, writer } = run
    if (!conditionOf(statusOf(object).conditions, 'Ready')) writer.change(to.succeeded(reason, message))
    return { outcome: 'resting', reason, message, ...(await conclude(run, null)) }
  }

  const hold = async (run: PassRun, { reason, message, afterMs }: Held<KubernetesObject>): Promise<End> => {
    const { object, writer } = run
    if (!conditionOf(statusOf(object).conditions, 'Ready'))
      writer.change(to.changed({ conditions: { Ready: { status: 'Unknown', reason, message } } }))
    return { outcome: 'held', reason, message, ...(await conclude(run, nextOf(run, afterMs))) }
  }

  /** Continues work that an earlier pass did not finish. */
  const endRun = async (run: PassRun): Promise<End | undefined> => {
    const outcome = await run.reconciler.endRun?.(run.object, passOf(run, settings)).catch(unexpected(run))
    return outcome && settle(run, outcome)
  }

  /** A suspended object: the pass only acknowledges a request. */
  const rest = async (run: PassRun): Promise<End> => {
    const ended = await endRun(run)
    if (ended) return ended
    run.writer.change(
      to.inOrder(to.suspended(run.reconciler.observesSuspended === true), to.requestHandled(requestedAtOf(run.object))),
    )
    return { outcome: 'suspended', ...(await conclude(run, null)) }
  }

  const finalize = async (run: PassRun): Promise<End> => {
    const ended = await endRun(run)
    if (ended) return ended
    const { reconciler, object, writer, lease } = run
    const outcome =
      isolation(lease) ?? (await reconciler.finalize(object, passOf(run, settings)).catch(unexpected(run)))
    if (!outcome) {
      await recordEvents(run)
      await removeFinalizer(hub, object, lease, reconciler)
      return { outcome: 'deleted', due: null }
    }
    writer.change(to.changed(outcome))
    if (outcome.type === 'waiting') {
      return { outcome: 'waiting', ...(await conclude(run, clock.now() + outcome.afterMs)) }
    }
    const { reason, message, cause = message } = outcome
    // A terminating namespace accepts no Events, so there a condition shows what blocks the deletion. Otherwise as in Flux.
    if (await isInTerminatingNamespace(object))
      writer.change(to.changed({ conditions: { Finalized: { status: 'False', reason, message } } }))
    warn(run, outcome)
    const { deletionTimestamp } = object.metadata
    const since = deletionTimestamp === undefined ? undefined : Date.parse(deletionTimestamp)
    return { outcome: 'failed', reason, message, cause, ...(await conclude(run, retryAt(outcome, since))) }
  }

  const isInTerminatingNamespace = async ({ metadata }: KubernetesObject): Promise<boolean> => {
    const ref = { group: '', kind: 'Namespace', namespace: '', name: metadata.namespace ?? '' }
    return (await hub.get<KubernetesObject>(ref))?.metadata.deletionTimestamp !== undefined
  }

  /** Stores the result of the pass and the time of the next one (null = none, undefined = with the visit). */
  const conclude = async (run: PassRun, due: number | null | undefined): Promise<NextPass> => {
    const at = due && Math.round(due)
    const isSoon = at && at - clock.now() < settings.tickMs
    const dueStored = isSoon ? at + lostAfterMs : at
    const overtaken = await run.writer.storeWithDue(dueStored)
    return overtaken ? { due: clock.now() } : { due: at ?? null, ...(dueStored && { dueStored }) }
  }

  const recordEvents = async ({ object, events: occurred, reconciler, redact }: PassRun): Promise<void> => {
    for (const event of occurred.splice(0)) {
      await events
        .record(object, redactedEvent(event, redact), reconciler.component ?? reconciler.manager)
        .catch(error => log.error('failed to record an event', { reason: event.reason, error }))
    }
  }

  const stalledUntil = ({ afterMs }: Stalled<KubernetesObject>): number | null =>
    afterMs === undefined ? null : clock.now() + afterMs

  const retryAt = ({ afterMs }: Failed<KubernetesObject>, since: number | undefined): number => {
    const now = clock.now()
    return now + (afterMs ?? backOff(since === undefined ? 0 : now - since, random.fraction()))
  }

  return { reconcile, rest, finalize, recordEvents }
}

const warn = (run: PassRun, { reason, message, event }: Failed<KubernetesObject> | Stalled<KubernetesObject>): void => {
  if (event !== null) run.events.push(event ?? { severity: 'error', reason, message })
}

/** Shows an unexpected error on the object and retries, unless the lease is lost or the object is gone. */
const unexpected =
  (run: PassRun) =>
  (thrown: unknown): Failed<KubernetesObject> => {
    if (run.holding.aborted) throw run.holding.reason
    const error = run.signal.aborted ? run.signal.reason : thrown
    const message = errorMessage(error)
    return { type: 'failed', reason: 'ReconciliationFailed', message, cause: error }
  }
