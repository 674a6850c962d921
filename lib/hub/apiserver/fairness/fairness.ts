/** Limits on one caller's use of the API, so that it stays available to others: see docs/operations.md. */
import type { User } from '../authentication/caller.ts'
import type { Verb } from '../request-info.ts'
import { type FairSeats, fairSeats } from './fair-seats.ts'
import { flowOf, isExempt, isMutating, widthOf } from './flow.ts'
import { openWatches } from './open-watches.ts'
import { type ResponseMemory, responseMemory } from './response-memory.ts'
import { eventLoopTurns, type Turns } from './turns.ts'
import { type UnsentFrames, unsentFrames } from './unsent-frames.ts'

export interface FairnessSettings {
  /** Seats for reading requests; 0 = unlimited. */
  readonly maxRequestsInflight: number
  /** Seats for writing requests; 0 = unlimited. */
  readonly maxMutatingRequestsInflight: number
  /** Watches in total; 0 = unlimited. */
  readonly maxWatches: number
  /** Watches per flow; 0 = unlimited. */
  readonly maxWatchesPerTenant: number
}

export interface Fairness {
  /**
   * Waits until a user's request may run; it counts until `ended` settles. Fails with TooManyRequests. Without a verb the request is for a
   * path, such as discovery.
   */
  admit(request: Request, verb: Verb | undefined, user: User, ended: Promise<unknown>): Promise<void>
  /** Watch events that were not received yet. */
  readonly unsent: UnsentFrames
  /** Memory of long responses until their clients receive them. */
  readonly responseMemory: ResponseMemory
  /** Schedules the parts of long responses. */
  readonly turns: Turns
}

/** Maximum share of seats per flow: a flow that holds its seats for long, such as that of a slow reader, leaves the rest to others. */
const shareOfFlow = 0.25
/** kube-apiserver's queue length and waiting time: a quarter of the 60 s that a request may take. */
const queue = { queued: 50, queuedTotal: 1000, waitMs: 15_000 }

const mebibyte = 1024 * 1024
const unsentLimits = { bytes: 64 * mebibyte, bytesPerFlow: 16 * mebibyte }
const responseMemoryLimits = { bytes: 64 * mebibyte, bytesPerFlow: 16 * mebibyte, waitMs: queue.waitMs }

/**
 * The limits of one process, for all its requests: seats for reading and writing requests, watches, and memory of
 * responses.
 */
export const createFairness = (settings: FairnessSettings): Fairness => {
  const reading = seatsOf(settings.maxRequestsInflight)
  const writing = seatsOf(settings.maxMutatingRequestsInflight)
  const watches = openWatches({
    watches: settings.maxWatches || Number.POSITIVE_INFINITY,
    perFlow: settings.maxWatchesPerTenant || Number.POSITIVE_INFINITY,
  })
  const turns = eventLoopTurns()
  const enter = (request: Request, verb: Verb | undefined, flow: string): Promise<() => void> | (() => void) => {
    if (verb === 'watch') return watches.open(flow)
    return verb !== undefined && isMutating(verb)
      ? writing.take(flow, widthOf(request), request)
      : reading.take(flow, 1, request)
  }
  return {
    admit: async (request, verb, user, ended) => {
      if (isExempt(user)) return
      const leave = await enter(request, verb, flowOf(user))
      ended.then(leave, leave)
    },
    unsent: unsentFrames(unsentLimits),
    responseMemory: responseMemory(responseMemoryLimits, turns),
    turns,
  }
}

const seatsOf = (seats: number): FairSeats =>
  fairSeats(
    seats === 0
      ? { seats: Number.POSITIVE_INFINITY, perFlow: Number.POSITIVE_INFINITY, ...queue }
      : { seats, perFlow: Math.max(1, Math.floor(seats * shareOfFlow)), ...queue },
  )
