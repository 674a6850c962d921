import type { Usage } from '../aws-cost/usage.ts'
import { nothing } from '../aws-cost/usage.ts'
import { kmsCallsAtStart, limits } from './limits.ts'
import type { Meetings } from './services.ts'
import type { VirtualTime, Work } from './virtual-time.ts'

/** What the pieces of work of a batch share: a process. */
export interface Effort {
  /** Milliseconds of a whole processor, beside the waits. */
  cpu: number
  /** Requests to counters of versions: see lib/platform/adapters/aws/versions.ts. */
  readonly flights: Map<string, Flight>
}

/** A request that others of the process share while it has not begun. */
export interface Flight {
  state: 'waiting' | 'begun' | 'done' | 'failed'
}

export const newEffort = (): Effort => ({ cpu: 0, flights: new Map() })

/** All functions of an account share its concurrency. */
export interface Account {
  running: number
  /** Nothing is delivered: the region is away. */
  isAway: boolean
}

export interface StagePlan<Message> {
  readonly name: string
  readonly memoryMb: number
  readonly batchSize: number
  readonly maxConcurrency: number
  readonly timeoutMs: number
  /** Handles one message; those of a batch go side by side. Whatever it throws is the caller's mistake. */
  handle(message: Message, effort: Effort): Work
  /** What an environment does when it starts. */
  warmUp(): Work
}

/** Lambda gives a function a whole processor from this much memory on, and less in proportion. */
const wholeProcessorMb = 1769

export const lambdaTime = (memoryMb: number, cpu: number): number =>
  (cpu * wholeProcessorMb) / Math.min(memoryMb, wholeProcessorMb)

/** A queue and its function. A batch first waits for its messages, which go side by side, and then computes: the worse case. */
export const stage = <Message>(time: VirtualTime, met: Meetings, account: Account, plan: StagePlan<Message>) => {
  const { name, memoryMb, batchSize, maxConcurrency, handle } = plan
  const usage: Usage = { ...nothing }
  let queue: Message[] = []
  let at = 0
  let running = 0
  let warm = 0
  let activeSince: number | undefined
  let longestMs = 0
  let inFlight = 0
  let isWatched = false

  const waiting = () => queue.length - at
  const pollers = () => {
    const { first, perMinute } = limits.pollers
    const grown = first + (perMinute * (time.now() - (activeSince ?? time.now()))) / 60_000
    return Math.min(maxConcurrency, Math.floor(grown))
  }

  /** What keeps the next batch waiting. */
  const holdUp = (): string | undefined => {
    if (running >= maxConcurrency) return `functions at a time: ${name} (${maxConcurrency})`
    if (running >= pollers()) return `pollers of a queue: ${name}`
    if (account.running >= limits.accountConcurrency) return 'functions of the account at a time'
    if (inFlight >= limits.inFlight) return `messages in flight: ${name}`
    return undefined
  }

  const pump = (): void => {
    while (waiting() > 0 && !account.isAway) {
      activeSince ??= time.now()
      const reason = holdUp()
      if (reason) {
        met.note(reason)
        return
      }
      deliver(queue.slice(at, at + batchSize))
      at = Math.min(queue.length, at + batchSize)
      if (at > 10_000 && at * 2 > queue.length) {
        queue = queue.slice(at)
        at = 0
      }
    }
    if (waiting() === 0 && running === 0) activeSince = undefined
  }

  const deliver = (batch: readonly Message[]): void => {
    const began = time.now()
    const isCold = running >= warm
    running += 1
    account.running += 1
    inFlight += batch.length
    warm = Math.max(warm, running)
    usage.invocations += 1
    usage.sqsRequests += 2
    const effort = newEffort()
    let left = batch.length
    const end = (): void => {
      const ms = time.now() - began
      longestMs = Math.max(longestMs, ms)
      if (ms > plan.timeoutMs) met.note(`a function's time: ${name} (${plan.timeoutMs / 1000} s)`)
      usage.gbSeconds += (ms / 1000) * (memoryMb / 1024)
      running -= 1
      account.running -= 1
      inFlight -= batch.length
      pump()
    }
    const compute = function* (): Work {
      yield lambdaTime(memoryMb, effort.cpu)
    }
    const begin = (): void => {
      for (const message of batch)
        time.start(handle(message, effort), () => {
          left -= 1
          if (left === 0) time.start(compute(), end)
        })
    }
    if (!isCold) {
      begin()
      return
    }
    usage.kmsRequests += kmsCallsAtStart
    time.start(plan.warmUp(), begin)
  }

  /** Pollers come up while there is work. */
  const watch = function* (): Work {
    while (waiting() > 0 || running > 0) {
      yield 1000
      pump()
    }
    isWatched = false
  }

  return {
    usage,
    send: (messages: readonly Message[]): void => {
      for (const message of messages) queue.push(message)
      pump()
      if (!isWatched) time.start(watch())
      isWatched = true
    },
    sendLater: (message: Message, delayMs: number): void => {
      const later = function* (): Work {
        yield delayMs
      }
      time.start(later(), () => {
        queue.push(message)
        pump()
        if (!isWatched) time.start(watch())
        isWatched = true
      })
    },
    longestMs: () => longestMs,
    idle: () => waiting() === 0 && running === 0,
  }
}

export type RunningStage<Message> = ReturnType<typeof stage<Message>>
