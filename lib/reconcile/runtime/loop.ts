import { newTally } from '../../clusters/client/tally.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Lease, Leases } from '../../platform/ports/leases.ts'
import { LeaseLost } from '../../platform/ports/leases.ts'
import type { Delayed, Message } from '../../platform/ports/queue.ts'
import type { Meter } from '../../platform/ports/usage.ts'
import { createAddressing, kindKey } from './addressing.ts'
import { startDeadline } from './deadline.ts'
import type { DeliveryOutcomes } from './delivery-outcomes.ts'
import { createDueWork } from './due-work.ts'
import { type ElsewherePorts, elsewhereMs } from './elsewhere.ts'
import { addFinalizer, finalizerOf, hasFinalizer } from './finalizer.ts'
import { failingSince } from './last-pass.ts'
import { whileHoldingLease } from './lease-holding.ts'
import { lostAfterMs } from './lost-messages.ts'
import { enqueuePart } from './news.ts'
import { createPasses, type PassPorts } from './pass.ts'
import { notesOfPass } from './pass-notes.ts'
import type { End, PassRun, PassSettings } from './pass-run.ts'
import { createProgressAllowance } from './progress-allowance.ts'
import type { Addressed, Reconciler } from './reconciler.ts'
import { redactedError, redaction } from './redaction.ts'
import { isNewGeneration } from './run-content.ts'
import type { RunRecorder } from './run-recorder.ts'
import { clearStatus, createStatusWriter, ObjectGone } from './status-writer.ts'
import { abandonedAfter, inIsolation } from './suspects.ts'
import { type MeteredWork, type RecordUsage, usageOfPass } from './usage-recorder.ts'
import { usageShares } from './usage-shares.ts'
import { createVisits, defaultVisitSettings, type FinishedVisit } from './visits.ts'

export interface LoopPorts extends PassPorts, ElsewherePorts {
  readonly leases: Leases
  readonly observeVisit?: (visit: FinishedVisit) => void
  /** Called after each pass, for metrics. */
  readonly observe?: (pass: FinishedPass) => void
  /** Adds the outcome of passes that webhooks caused to the record of their calls; absent if they are not recorded. */
  readonly deliveryOutcomes?: DeliveryOutcomes
  /** Records Runs of units; absent if they are not recorded. */
  readonly recorder?: RunRecorder
  /** Adds to what a namespace and a cluster use; absent if that is not recorded. */
  readonly recordUsage?: RecordUsage
  /** What the platform bills. */
  readonly meter?: Meter
}

export interface FinishedPass {
  readonly ref: ObjectRef
  /** The object after the pass. */
  readonly object: KubernetesObject
  readonly outcome: End['outcome']
  readonly reason?: string
  readonly durationMs: number
  readonly used: MeteredWork
}

export interface LoopSettings extends PassSettings {
  /** Lifetime of a lease between renewals, in milliseconds: objects of a crashed process wait that long. */
  readonly leaseMs: number
}

export const defaultLoopSettings: LoopSettings = {
  jitterPercentage: 5,
  tickMs: 60_000,
  momentMs: 250,
  routineMomentMs: 10_000,
  leaseMs: 60_000,
}

export interface Loop {
  /** Reconciles the object that a message names. Fails when the signal aborts because the process must stop. */
  handle(message: Message, signal?: AbortSignal): Promise<void>
  /** Enqueues what becomes due before the next tick; call it every `tickMs`. */
  tick(): Promise<void>
  /** Enqueues what was in progress when an earlier process died, on platforms whose messages die with the process. */
  resume(): Promise<void>
}

/**
 * Runs reconcilers: one pass per message, one writer per object, and a next pass for every object in time. `addressed` lists all kinds that
 * are reconciled anywhere, for a process that has only some of the reconcilers.
 */
export const createLoop = (
  ports: LoopPorts,
  reconcilers: readonly Reconciler<KubernetesObject>[],
  settings: LoopSettings = defaultLoopSettings,
  addressed: readonly Addressed[] = reconcilers,
): Loop => {
  const { hub, queue, schedule, clock, log } = ports
  /** A message arrives at most this long before its due time (see due-work.ts), even if the sender's clock runs slightly ahead. */
  const maxWaitMs = 2 * (settings.tickMs + lostAfterMs)
  const byKind = new Map(reconcilers.map(reconciler => [kindKey(reconciler.kind), reconciler]))
  const addressing = createAddressing(hub, addressed)
  const { messageTo } = addressing
  const shares = usageShares(clock, ports.meter)
  const visits = createVisits({ ...ports, shares }, reconcilers, addressing, { ...defaultVisitSettings, ...settings })
  const due = createDueWork(ports, addressing, settings.tickMs)
  const passes = createPasses(ports, addressed, settings)
  const writing = { hub, clock, mayShowProgress: createProgressAllowance(clock) }

  const handle = async (message: Message, stopping?: AbortSignal): Promise<void> => {
    if (visits.owns(message)) return visits.handle(message, stopping)
    if (message.refs) return enqueuePart(ports, addressed, message.ref, message.refs)
    const reconciler = byKind.get(kindKey(message.ref))
    if (!reconciler) return forward(message)
    if (message.stage === 'build') return prepareAhead(reconciler, message, stopping)
    const held = await whileHoldingLease(ports, message.ref, settings.leaseMs, stopping, async (lease, holding) => {
      const elsewhere = inIsolation(lease, message)
      if (elsewhere) return { result: elsewhere, abandoned: lease.abandoned }
      return reconcileObject(reconciler, message, lease, holding).catch(onLeaseLost(message.ref))
    })
    if (!held) return // the lease holder runs one more pass
    const { dueAt: _, ...unconditional } = message
    const next = held.dirty ? unconditional : held.result
    if (next) await queue.send([next])
  }

  /** For messages in the wrong queue, after a deployment for instance. */
  const forward = async ({ ref, stage }: Message): Promise<void> => {
    const message = await messageTo(ref)
    if (message && message.stage !== stage) await queue.send([message])
  }

  /** Prepares what the pass needs, without the lease, then enqueues the pass. Errors are not reported here, as the pass encounters and reports them. */
  const prepareAhead = async (
    { prepare, stage }: Reconciler<KubernetesObject>,
    message: Message,
    stopping?: AbortSignal,
  ): Promise<void> => {
    const { ref } = message
    // Work that was never finished may end this process, too. So it is left to the pass, which is counted and isolated.
    const object = prepare && !message.unfinished && (await hub.get<KubernetesObject>(ref))
    const isWork = object && !object.metadata.deletionTimestamp && !isSuspended(object)
    if (isWork && !(await ports.isElsewhere?.(object))) {
      await prepare(object, stopping ?? new AbortController().signal).catch(error =>
        log.info('failed to prepare a pass', { ...ref, why: errorMessage(error) }),
      )
    }
    await queue.send([{ ...message, stage }])
  }

  /** Runs one pass over the current object; returns the message for the next pass, if that is soon, and the count for the next holder of the lease. */
  const reconcileObject = async (
    reconciler: Reconciler<KubernetesObject>,
    message: Message,
    lease: Lease,
    holding: AbortSignal,
  ): Promise<Worked> => {
    const startedAt = clock.now()
    // Claim before reading: any later change sets a new due time, which the end of this pass keeps.
    // A member of a visit without its own due time stays with the visit, which checks it if this pass does not finish.
    const visited = message.visited === true && (await schedule.dueOf(message.ref)) === undefined
    const claimed = visited ? never : startedAt + lostAfterMs
    // A duplicate or outdated message has nothing to do. Of two chains of messages for one object, the one that did not set the due
    // time ends here. An object that got its own due time before the change is due because of the change, however late that time is.
    const dueBy = message.visited ? Number.MAX_SAFE_INTEGER : startedAt + maxWaitMs
    const isDue = visited || (await schedule.claim(message.ref, claimed, dueBy, message.dueAt))
    if (!isDue) return { result: undefined, abandoned: lease.abandoned }
    const found = await hub.get<KubernetesObject>(message.ref)
    if (!found) return { result: undefined }
    if (await ports.isElsewhere?.(found)) {
      const againMs = (await ports.watchElsewhere?.(found, message.dueAt === undefined)) ?? elsewhereMs
      await schedule.setDue(message.ref, startedAt + againMs, { dueSeen: claimed })
      return { result: undefined }
    }
    const isDeleted = found.metadata.deletionTimestamp !== undefined
    const isOver = isDeleted || reconciler.leavesAlone?.(found) === true
    if (isOver && !hasFinalizer(found, finalizerOf(reconciler))) {
      if (!isDeleted) await clearStatus(hub, found, lease, reconciler.manager)
      await schedule.setDue(message.ref, undefined, { dueSeen: claimed })
      return { result: undefined }
    }
    const object = isOver ? found : await addFinalizer(hub, found, lease, reconciler)
    const deadline = startDeadline(clock, reconciler.passTimeoutOf(object))
    const notes = notesOfPass(clock)
    const redact = redaction(object, notes)
    const writer = createStatusWriter(writing, object, { lease, dueSeen: claimed }, reconciler, redact)
    const run: PassRun = {
      reconciler,
      object,
      lease,
      startedAt,
      visited,
      holding,
      signal: AbortSignal.any([holding, deadline.signal]),
      writer,
      events: [],
      notes,
      redact,
      tally: newTally(),
    }
    if (reconciler.leavesRuns && (isDeleted || isNewGeneration(object)))
      run.notes.add({ changedBy: await hub.changedBy(object) })
    const endShare = shares.begin()
    const perform = isOver ? passes.finalize : isSuspended(object) ? passes.rest : passes.reconcile
    const end = await perform(run).finally(() => {
      endShare()
      run.writer.stop()
      return deadline.stop()
    })
    const used = usageOfPass(run, endShare(), clock.now())
    if (end.outcome === 'deleted' && !isDeleted) await clearStatus(hub, found, lease, reconciler.manager)
    report(run, end, used)
    // At once, so that they share a commit where the platform has such.
    await Promise.all([
      passes.recordEvents(run),
      keepRecord(run, end),
      keepOutcome(run, end),
      ports.recordUsage?.([used], end.isAtRest === true),
    ])
    return { result: continuation(message, reconciler.groupOf?.(object), end), abandoned: abandonedAfter(lease) }
  }

  /** A due time before the next tick can travel on a message; ticks find the others. */
  const continuation = (
    { stage, ref }: Message,
    group: string | undefined,
    { due, dueStored }: End,
  ): Delayed<Message> | undefined => {
    if (due === null) return undefined
    const delayMs = Math.max(0, due - clock.now())
    if (delayMs >= settings.tickMs) return undefined
    return { stage, ref, group, delayMs, ...(dueStored !== undefined && { dueAt: dueStored }) }
  }

  const report = (
    { object, startedAt, writer, redact }: PassRun,
    { due, dueStored: _, cause, isWait, leavesRequest, isAtRest, ...end }: End,
    used: MeteredWork,
  ): void => {
    const { kind, metadata } = object
    const now = clock.now()
    const left = { ...object, status: writer.status } as KubernetesObject
    const { outcome, reason } = end
    ports.observe?.({ ref: refOf(object), object: left, outcome, reason, durationMs: now - startedAt, used })
    const fields = {
      kind,
      namespace: metadata.namespace,
      name: metadata.name,
      ...end,
      durationMs: now - startedAt,
      ...(due !== null && { nextMs: due - now }),
    }
    if (cause === undefined || isWait) log.info('reconciled', fields)
    else
      log.error('reconciled', {
        ...fields,
        ...(end.message && { message: redact(end.message) }),
        error: redactedError(cause, redact),
      })
  }

  /** A failure to record the pass does not fail the pass. */
  const keepRecord = async ({ reconciler, object, startedAt, notes }: PassRun, end: End): Promise<void> => {
    if (!reconciler.leavesRuns || !ports.recorder) return
    const wasFailing = failingSince(object) !== undefined
    await ports.recorder
      .record({ object, startedAt, notes: notes.all(), end, wasFailing })
      .catch(error => log.error('failed to record a run', { ...refOf(object), error }))
  }

  /** A failure to record the outcome does not fail the pass. */
  const keepOutcome = async ({ object, writer }: PassRun, end: End): Promise<void> => {
    const after = { ...object, status: writer.status } as KubernetesObject
    await ports.deliveryOutcomes
      ?.record(object, after, end)
      .catch(error => log.error('failed to record the outcome of a delivery', { ...refOf(object), error }))
  }

  const onLeaseLost =
    ({ kind, namespace, name }: ObjectRef) =>
    (error: unknown): Worked => {
      if (!(error instanceof LeaseLost || error instanceof ObjectGone)) throw error
      log.info('another process has taken over', { kind, namespace, name, why: error.message })
      return { result: undefined }
    }

  const tick = (): Promise<void> => due.enqueue(clock.now() + settings.tickMs, time => Math.max(0, time - clock.now()))

  /** Anything in flight or in the middle of a pass is due within this time: see `tick`, `reconcileObject` and `conclude`. */
  const resume = (): Promise<void> => {
    due.forgetSent()
    return due.enqueue(clock.now() + settings.tickMs + lostAfterMs, () => 0)
  }

  return { handle, tick, resume }
}

/** The result of a pass under its lease. */
interface Worked {
  readonly result: Delayed<Message> | undefined
  readonly abandoned?: number
}

/** No object is ever due at this time. So a due time that a visited object has at the end of its pass was set during the pass. */
const never = -1
