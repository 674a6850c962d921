import { stageLimits } from '../../../infra/stage-limits.ts'
import { lostAfterMs } from '../../../lib/reconcile/runtime/lost-messages.ts'
import { nothing, sum, type Usage } from '../aws-cost/usage.ts'
import { type Account, type Effort, type Flight, lambdaTime, newEffort, stage } from './lambda.ts'
import { clusterAnswers, durations, kmsCallsAtStart, limits, s3Gets } from './limits.ts'
import { type Recorded, type Recordings, sizes } from './recorded.ts'
import { type Met, meetings, partitions, type Replay, rateLimited, replayOf, Throttled } from './services.ts'
import { virtualTime, type Work } from './virtual-time.ts'

export interface FleetPlan {
  readonly clusters: number
  readonly unitsPerCluster: number
  readonly seed: number
  /** One function enqueues all dependents of a source, as it was before. */
  readonly oneFunctionEnqueues?: boolean
  /** Functions of each stage at a time, as a multiple of infra/stage-limits.ts. */
  readonly concurrency?: number
  /** Each commit asks the counter of versions by itself, as it was before. */
  readonly ownVersions?: boolean
}

export interface Told {
  /** Milliseconds from the beginning to the end of the last; undefined when it never came to an end. */
  readonly lastAt: number | undefined
  /** What happened, for who checks that it did. */
  readonly passes: number
  readonly visits: number
  /** Pieces that gave up as DynamoDB refused them again and again. They came again later. */
  readonly refused: number
  /** Limits in the order in which they were met. */
  readonly met: readonly Met[]
  readonly usage: Usage
}

const minute = 60_000
const everyMs = 10 * minute
const jitter = 0.05
const tick = { memoryMb: 512, timeoutMs: 50_000 }

type Part = { readonly first: number; readonly count: number }

/** A fleet in virtual time: what its functions do is replayed from recordings, over services with limits. */
export const simulatedFleet = (recordings: Recordings, plan: FleetPlan) => {
  const { clusters, unitsPerCluster } = plan
  const units = clusters * unitsPerCluster
  const time = virtualTime(plan.seed)
  const met = meetings(time)
  const table = partitions(time, met)
  const s3 = rateLimited(time, met, 'GETs of a prefix of S3', limits.s3Gets)
  const kms = rateLimited(time, met, 'calls of KMS', limits.kms)
  const account: Account = { running: 0, isAway: false }
  const tickUsage: Usage = { ...nothing }
  const replays = Object.fromEntries(
    Object.entries(recordings).map(([name, recorded]) => [name, replayOf(recorded as Recorded)]),
  ) as Record<keyof Recordings, readonly Replay[]>
  const applied = new Uint8Array(units)
  const counts = { passes: 0, visits: 0, refused: 0 }
  let lastAppliedAt = 0
  let lastVisitAt = 0
  /** When a cluster's visit is due; a tick that has seen it puts it off. */
  const dueAt = new Float64Array(clusters)

  /** `share`: of a page, how much of it there is. */
  const replay = function* (name: keyof Recordings, effort: Effort, share = 1): Work {
    effort.cpu += durations.cpu[name] * share
    for (const whole of replays[name]) {
      const round = share === 1 ? whole : whole.slice(0, Math.ceil(whole.length * share))
      effort.cpu += round.length * durations.requestCpu
      const counter = round[0]?.partitions[0]
      if (!plan.ownVersions && counter?.startsWith('versions#')) yield* takeVersion(counter, round, effort)
      else yield* table.round(round)
    }
  }
  /** As versions.ts does: those who ask while a request is under way share the next one. */
  const takeVersion = function* (counter: string, round: Replay, { flights }: Effort): Work {
    const before = flights.get(counter)
    if (before?.state === 'waiting') {
      yield* landing(before, true)
      return
    }
    const flight: Flight = { state: 'waiting' }
    flights.set(counter, flight)
    if (before) yield* landing(before)
    flight.state = 'begun'
    try {
      yield* table.round(round)
      flight.state = 'done'
    } catch (error) {
      flight.state = 'failed'
      throw error
    }
  }
  const landing = function* (flight: Flight, isMine = false): Work {
    while (flight.state === 'waiting' || flight.state === 'begun') yield 2
    if (isMine && flight.state === 'failed') throw new Throttled()
  }
  /** An answer of a cluster: some are quicker, some slower. */
  const answers = function* (count: number): Work {
    for (let answer = 0; answer < count; answer++) yield durations.cluster * (0.5 + time.random())
  }
  const sending = (messages: number, usage: Usage, effort: Effort): number => {
    const batches = Math.ceil(messages / 10)
    usage.sqsRequests += batches
    effort.cpu += batches * durations.requestCpu
    return Math.ceil(batches / 8) * durations.sqs
  }
  const warmUp = function* (): Work {
    yield durations.coldStart
    for (let call = 0; call < kmsCallsAtStart; call++) yield* kms.request(durations.kms)
  }
  const plans = (name: 'source' | 'build' | 'apply') => {
    const { timeout, ...others } = stageLimits[name]
    const maxConcurrency = others.maxConcurrency * (plan.concurrency ?? 1)
    return { name, ...others, maxConcurrency, timeoutMs: timeout.toMilliseconds(), warmUp }
  }
  /** What was refused comes again: the visit of its cluster finds it. */
  const unlessRefused = function* (work: Work, again: () => void): Work {
    try {
      yield* work
    } catch (error) {
      if (!(error instanceof Throttled)) throw error
      counts.refused += 1
      again()
    }
  }

  const apply = stage<number>(time, met, account, {
    ...plans('apply'),
    handle: (message, effort) =>
      message < 0
        ? unlessRefused(visit(-1 - message, effort), () => {})
        : unlessRefused(pass(message, effort), () => apply.sendLater(message, lostAfterMs)),
  })
  const build = stage<number>(time, met, account, {
    ...plans('build'),
    handle: (unit, effort) => unlessRefused(prepare(unit, effort), () => build.sendLater(unit, lostAfterMs)),
  })
  const source = stage<Part>(time, met, account, {
    ...plans('source'),
    handle: (part, effort) => unlessRefused(enqueue(part, effort), () => source.sendLater(part, lostAfterMs)),
  })

  function* pass(unit: number, effort: Effort): Work {
    for (let get = 0; get < s3Gets.pass; get++) yield* s3.request(durations.s3)
    yield* answers(clusterAnswers.pass)
    yield* replay('pass', effort)
    counts.passes += 1
    applied[unit] = 1
    lastAppliedAt = time.now()
  }

  function* prepare(unit: number, effort: Effort): Work {
    yield* replay('build', effort)
    for (let get = 0; get < s3Gets.build; get++) yield* s3.request(durations.s3)
    yield sending(1, build.usage, effort)
    apply.send([unit])
  }

  function* enqueue({ first, count }: Part, effort: Effort): Work {
    // The pass of the source reads the index of its dependents.
    if (first < 0) return yield* announce(effort)
    yield* replay('part', effort, count / sizes.part)
    yield sending(count, source.usage, effort)
    build.send(Array.from({ length: count }, (_, at) => first + at))
    for (let unit = first; unit < first + count; unit += unitsPerCluster)
      dueAt[Math.floor(unit / unitsPerCluster)] = time.now() + lostAfterMs
  }

  function* announce(effort: Effort): Work {
    const began = time.now()
    for (let first = 0; first < units; first += sizes.handOn) {
      yield* replay('handOn', effort)
      const starts = Array.from({ length: sizes.handOn / sizes.part }, (_, at) => first + at * sizes.part)
      const parts = starts
        .filter(start => start < units)
        .map(start => ({ first: start, count: Math.min(sizes.part, units - start) }))
      if (plan.oneFunctionEnqueues || first === 0) {
        for (const part of parts) {
          const own = newEffort()
          yield* enqueue(part, own)
          yield lambdaTime(stageLimits.source.memoryMb, own.cpu)
        }
      } else {
        yield sending(parts.length, source.usage, effort)
        source.send(parts)
      }
      // Lambda ends the function; the message comes again, and the pass begins anew: it would for ever.
      if (time.now() - began > stageLimits.source.timeout.toMilliseconds()) return
    }
  }

  function* visit(cluster: number, effort: Effort): Work {
    yield* answers(clusterAnswers.visit)
    yield* replay('visit', effort)
    counts.visits += 1
    lastVisitAt = time.now()
    dueAt[cluster] = time.now() + everyMs * (1 - jitter + 2 * jitter * time.random())
  }

  /** Enqueues the visits that come due before the next tick, a page at a time, for as long as a tick may take. */
  const runTick = function* (): Work {
    const began = time.now()
    const until = began + minute
    const due = [...dueAt.keys()].filter(cluster => dueAt[cluster]! <= until)
    due.sort((a, b) => dueAt[a]! - dueAt[b]! || a - b)
    for (let at = 0; at < due.length; at += sizes.tickPage) {
      const page = due.slice(at, at + sizes.tickPage)
      const own = newEffort()
      yield* replay('tickPage', own, page.length / sizes.tickPage)
      yield sending(page.length, tickUsage, own)
      yield lambdaTime(tick.memoryMb, own.cpu)
      for (const cluster of page) {
        apply.sendLater(-1 - cluster, Math.max(0, dueAt[cluster]! - time.now()))
        dueAt[cluster] = until + lostAfterMs
      }
      if (time.now() - began <= tick.timeoutMs) continue
      met.note(`a function's time: tick (${tick.timeoutMs / 1000} s)`)
      break
    }
    tickUsage.invocations += 1
    tickUsage.gbSeconds += ((time.now() - began) / 1000) * (tick.memoryMb / 1024)
  }

  const ticks = function* (untilMs: number): Work {
    while (time.now() < untilMs) {
      if (!account.isAway) time.start(unlessRefused(runTick(), () => {}))
      yield minute
    }
  }

  const told = (lastAt: number | undefined): Told => {
    const { read, write } = table.units
    const ofTable = { ...nothing, readUnits: read, writeUnits: write, s3Gets: s3.count() }
    const usage = sum(tickUsage, source.usage, build.usage, apply.usage, ofTable)
    return { ...counts, lastAt, met: met.all(), usage }
  }

  const atRest = (): void => {
    for (let cluster = 0; cluster < clusters; cluster++) dueAt[cluster] = time.random() * everyMs
  }

  return {
    /** A push to the repository that all clusters follow. */
    push: (): Told => {
      dueAt.fill(Number.POSITIVE_INFINITY)
      source.send([{ first: -1, count: 0 }])
      for (let limit = 0; applied.includes(0) && limit < 24 * 60; limit++) {
        time.run((limit + 1) * minute)
        if (source.idle() && build.idle() && apply.idle() && limit > 2 + lostAfterMs / minute) break
      }
      return told(applied.includes(0) ? undefined : lastAppliedAt)
    },
    /** An hour in which nothing changes. */
    rest: (): Told => {
      atRest()
      time.start(ticks(60 * minute))
      time.run(60 * minute)
      return told(60 * minute)
    },
    /** Ten minutes at rest, ten without the region, and what comes after; `lastAt` counts from its return. */
    outage: (): Told => {
      atRest()
      time.start(ticks(60 * minute))
      time.run(everyMs)
      account.isAway = true
      time.run(2 * everyMs)
      account.isAway = false
      const back = time.now()
      const isLate = () => dueAt.some(due => due <= back)
      const before = { ...counts }
      for (let second = 1; second < 1800; second++) {
        time.run(back + second * 1000)
        const isCaughtUp = counts.visits - before.visits >= clusters && !isLate()
        if (isCaughtUp) return told(lastVisitAt - back)
      }
      return told(undefined)
    },
  }
}
