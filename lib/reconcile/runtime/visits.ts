import type { ClusterClient } from '../../clusters/client/client.ts'
import { meteredClient } from '../../clusters/client/metered-client.ts'
import { newTally, type Tally } from '../../clusters/client/tally.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refKey } from '../../foundations/kinds/object.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { withJitter } from '../../foundations/rules/schedule.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Leases } from '../../platform/ports/leases.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Delayed, Message, Queue } from '../../platform/ports/queue.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'
import { stageOfVisit, type VisitMember, type VisitRecord, type Visits } from '../../platform/ports/visits.ts'
import { type Addressing, kindKey } from './addressing.ts'
import { isUnchanged } from './dry-run.ts'
import type { ElsewherePorts } from './elsewhere.ts'
import type { Note } from './pass-notes.ts'
import type { Reconciler, SharedReads } from './reconciler.ts'
import { sharedReads } from './shared-reads.ts'
import { usageOfChecks } from './usage-of-checks.ts'
import { type MeteredWork, type RecordUsage, usageCluster } from './usage-recorder.ts'
import type { UsageShares } from './usage-shares.ts'

export interface VisitPorts extends ElsewherePorts {
  readonly hub: Pick<Hub, 'get'>
  readonly visits: Visits
  readonly schedule: Schedule
  readonly leases: Pick<Leases, 'abandonedOf'>
  readonly queue: Queue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Called after each visit, for metrics. */
  readonly observeVisit?: (visit: FinishedVisit) => void
  readonly recordUsage?: RecordUsage
  readonly shares: UsageShares
}

export interface FinishedVisit {
  readonly group: string
  /** The dry runs that found nothing to change, each with its duration. */
  readonly unchanged: readonly UnchangedObject[]
  /** What all dry runs together used, divided among their namespaces and clusters. */
  readonly used: readonly MeteredWork[]
}

export interface UnchangedObject {
  readonly ref: ObjectRef
  readonly object: KubernetesObject
  readonly durationMs: number
}

export interface VisitSettings {
  readonly jitterPercentage: number
  readonly tickMs: number
  /** Concurrent dry runs of one visit. */
  readonly concurrency: number
  /** Timeout of a whole visit, in milliseconds: less than the time after which a tick sends the next message. */
  readonly visitMs: number
}

export const defaultVisitSettings = { concurrency: 8, visitMs: 90_000 }

/** The result of a dry run. */
type Finding =
  | (UnchangedObject & { readonly type: 'unchanged'; readonly every: number; readonly cluster: string })
  /** It needs a pass of its own. */
  | { readonly type: 'changed' }
  /** The object no longer exists. */
  | { readonly type: 'gone' }
  /** The visit ran out of time. */
  | { readonly type: 'put off' }

/**
 * Checks the objects of a group together: members whose intervals have passed, and objects that a tick found due. An unchanged object
 * stays a member of the visit, or becomes one, and is due with the others again. Any other gets a message of its own, and is no member
 * until its pass has ended and its next interval has passed. So a fleet at rest costs a write and a message per group, not per object.
 * See docs/decisions/0018-visits.md.
 */
export const createVisits = (
  ports: VisitPorts,
  reconcilers: readonly Reconciler<KubernetesObject>[],
  { messageTo, visitOf }: Pick<Addressing, 'messageTo' | 'visitOf'>,
  settings: VisitSettings,
) => {
  const { hub, visits, schedule, leases, queue, clock, random, log, shares } = ports
  const byKind = new Map(reconcilers.map(reconciler => [kindKey(reconciler.kind), reconciler]))

  const handle = async (message: Message, stopping?: AbortSignal): Promise<void> => {
    const visit = message.ref
    const startedAt = clock.now()
    const record = await visits.read(visit)
    const members = record?.members ?? []
    const called = message.refs ?? []
    const due = dueWithin(members, startedAt).map(({ ref }) => ref)
    const refs = [...new Map([...called, ...due].map(ref => [refKey(ref), ref])).values()]
    const risky = await riskyAmong(message, called, refs)
    const tally = newTally()
    const endShare = shares.begin()
    const findings = await dryRunAll(visit, refs, risky, tally, stopping).finally(endShare)
    const of = (type: Finding['type']) => refs.filter((_, at) => findings[at]!.type === type)

    // An object that needs a pass gets a due time before it leaves the visit; a new member joins before it loses its own due time: after a crash,
    // none is forgotten.
    const changed = of('changed')
    const isCalled = new Set(called.map(refKey))
    await Promise.all(changed.filter(ref => !isCalled.has(refKey(ref))).map(ref => schedule.setDue(ref, clock.now())))
    const next = isAhead(record, refs, startedAt) ? record.due : await store(visit, record, refs, findings)
    const joined = of('unchanged').filter(ref => isCalled.has(refKey(ref)))
    await Promise.all(joined.map(ref => schedule.setDue(ref, undefined, { dueSeen: message.dueAt })))

    const passes = await Promise.all(changed.map(ref => messageTo(ref)))
    const messages: Delayed<Message>[] = passes.filter(pass => pass !== undefined)
    const delayMs = Math.max(0, (next ?? Number.POSITIVE_INFINITY) - clock.now())
    if (delayMs < settings.tickMs) messages.push({ stage: message.stage, ref: visit, group: message.group, delayMs })
    if (messages.length > 0) await queue.send(messages)
    const checks = findings
      .filter(finding => finding.type === 'unchanged')
      .map(({ ref, cluster, durationMs }) => ({ namespace: ref.namespace, cluster, ms: durationMs }))
    const used = usageOfChecks(checks, { ...tally, ...endShare() })
    report(visit, findings, startedAt, used)
    await ports.recordUsage?.(used, true)
  }

  /**
   * Objects whose dry run may end this process, and with it all other dry runs: passes have leases, which count holders that never finished. If no
   * receiver has ever finished this visit, that applies to all.
   */
  const riskyAmong = async (
    { unfinished }: Message,
    called: readonly ObjectRef[],
    refs: readonly ObjectRef[],
  ): Promise<ReadonlySet<ObjectRef>> => {
    if (unfinished) return new Set(refs)
    const counts = await Promise.all(called.map(ref => leases.abandonedOf(ref)))
    const suspects = new Set(called.filter((_, at) => counts[at]! > 0).map(refKey))
    return new Set(refs.filter(ref => suspects.has(refKey(ref))))
  }

  /** Gives each a fair share of the visit's time; those that remain at the end are postponed. */
  const dryRunAll = async (
    visit: ObjectRef,
    refs: readonly ObjectRef[],
    risky: ReadonlySet<ObjectRef>,
    tally: Tally,
    stopping?: AbortSignal,
  ): Promise<readonly Finding[]> => {
    const time = AbortSignal.timeout(settings.visitMs)
    const signal = stopping ? AbortSignal.any([time, stopping]) : time
    const end = clock.monotonic() + settings.visitMs
    const reads = sharedReads(signal)
    const metered = (cluster: ClusterClient) => (cluster.server === 'hub' ? cluster : meteredClient(cluster, tally))
    const shared: SharedReads = { ...reads, cluster: cluster => reads.cluster(metered(cluster)) }
    const findings: Finding[] = refs.map(() => ({ type: 'put off' }))
    let at = 0
    const worker = async (): Promise<void> => {
      while (at < refs.length && !signal.aborted) {
        const mine = at++
        if (risky.has(refs[mine]!)) {
          findings[mine] = { type: 'changed' }
          continue
        }
        const shareMs = ((end - clock.monotonic()) / (refs.length - mine)) * settings.concurrency
        const share = AbortSignal.timeout(Math.max(1, Math.round(shareMs)))
        const run = dryRun(visit, refs[mine]!, shared, AbortSignal.any([signal, share]))
        // The object's own pass reports the error; it does not affect the others.
        const finding = await run.catch((): Finding => ({ type: 'changed' }))
        // A dry run that was aborted with the visit has not had its share.
        if (!signal.aborted) findings[mine] = finding
      }
    }
    await Promise.all(Array.from({ length: Math.min(settings.concurrency, refs.length) }, worker))
    stopping?.throwIfAborted()
    return findings
  }

  const dryRun = async (
    visit: ObjectRef,
    ref: ObjectRef,
    shared: SharedReads,
    signal: AbortSignal,
  ): Promise<Finding> => {
    const reconciler = byKind.get(kindKey(ref))
    const began = clock.monotonic()
    const object = await hub.get<KubernetesObject>(ref)
    if (!object) return { type: 'gone' }
    let target: TargetReference | undefined
    const note = ({ cluster }: Note): void => {
      target = cluster ?? target
    }
    // An object of another visit may be no member there yet: after its pass it becomes one.
    if (
      !reconciler ||
      visitOf(object) !== visit.name ||
      (await ports.isElsewhere?.(object)) ||
      !(await isUnchanged(reconciler, object, shared, { clock, signal, note }))
    )
      return { type: 'changed' }
    const [every, durationMs] = [reconciler.intervalOf(object), clock.monotonic() - began]
    return { type: 'unchanged', ref, object, every, durationMs, cluster: usageCluster(target) }
  }

  /** Writes the results into the current record; resolves to when the visit is due next. */
  const store = async (
    visit: ObjectRef,
    known: VisitRecord | undefined,
    refs: readonly ObjectRef[],
    findings: readonly Finding[],
  ): Promise<number | undefined> => {
    const spread = random.fraction()
    const dueAfter = (every: number) => clock.now() + withJitter(every, settings.jitterPercentage, spread)
    for (let attempt = 1, record = known; ; attempt++) {
      const members = membersAfter(record, refs, findings, wokenSince(known, record), clock.now(), dueAfter)
      const due = members.length > 0 ? Math.min(...members.map(member => member.due)) : undefined
      if (await visits.write(visit, { members, due }, record?.version)) return due
      if (attempt === storeAttempts)
        throw new Error(`failed to store the visit of ${visit.name}: others keep writing it`)
      record = await visits.read(visit)
    }
  }

  const report = (
    visit: ObjectRef,
    findings: readonly Finding[],
    startedAt: number,
    used: readonly MeteredWork[],
  ): void => {
    const count = (type: Finding['type']) => findings.filter(finding => finding.type === type).length
    const durationMs = clock.now() - startedAt
    const counts = { objects: findings.length, changed: count('changed'), putOff: count('put off') }
    log.info('visited', { stage: visit.kind, group: visit.name, ...counts, durationMs })
    const unchanged = findings.filter(finding => finding.type === 'unchanged')
    ports.observeVisit?.({ group: visit.name, unchanged, used })
  }

  return { handle, owns: (message: Message): boolean => stageOfVisit(message.ref) !== undefined }
}

const storeAttempts = 10

/**
 * Members that are due, and those due soon after, so that all become due together. Soon is half the shortest interval at most:
 * then a member that becomes due alone is visited with those due next.
 */
export const dueWithin = (members: readonly VisitMember[], now: number): readonly VisitMember[] => {
  const isDue = ({ due, every }: VisitMember) => due <= now || due > now + 2 * every // stored by a clock that was ahead
  if (!members.some(isDue)) return []
  const soonMs = Math.min(...members.map(({ every }) => every)) / 2
  return members.filter(member => isDue(member) || member.due <= now + soonMs)
}

/** Whether a visit has nothing to do and nothing to write: its message came twice, or too early. */
const isAhead = (
  record: VisitRecord | undefined,
  refs: readonly ObjectRef[],
  now: number,
): record is VisitRecord & { readonly due: number } =>
  refs.length === 0 && record?.due !== undefined && record.due > now

/** Whether a member has changed since a record was read: earlier results for it are then outdated. */
const wokenSince = (known: VisitRecord | undefined, record: VisitRecord | undefined) => {
  if (known === record) return () => false
  const before = new Map(known?.members.map(({ ref, due }) => [refKey(ref), due]))
  const woken = (record?.members ?? []).filter(
    ({ ref, due }) => before.has(refKey(ref)) && before.get(refKey(ref)) !== due,
  )
  const keys = new Set(woken.map(({ ref }) => refKey(ref)))
  return (ref: ObjectRef): boolean => keys.has(refKey(ref))
}

const membersAfter = (
  record: VisitRecord | undefined,
  refs: readonly ObjectRef[],
  findings: readonly Finding[],
  isWoken: (ref: ObjectRef) => boolean,
  at: number,
  dueAfter: (every: number) => number,
): readonly VisitMember[] => {
  const members = new Map((record?.members ?? []).map(member => [refKey(member.ref), member]))
  for (const [index, finding] of findings.entries()) {
    const ref = refs[index]!
    if (finding.type === 'unchanged' && !isWoken(ref))
      members.set(refKey(ref), { ref, due: dueAfter(finding.every), every: finding.every, at })
    else if (['changed', 'gone'].includes(finding.type)) members.delete(refKey(ref))
  }
  return [...members.values()]
}
