/** What one caller of the API may have of it at a time, so that others find it free: see docs/operations.md. */
import type { User } from '../authentication/caller.ts'
import type { Verb } from '../request-info.ts'
import { type AnswerRoom, answerRoom } from './answer-room.ts'
import { type FairSeats, fairSeats } from './fair-seats.ts'
import { flowOf, isExempt, isMutating, widthOf } from './flow.ts'
import { openWatches } from './open-watches.ts'
import { eventLoopTurns, type Turns } from './turns.ts'
import { type UnsentFrames, unsentFrames } from './unsent-frames.ts'

export interface FairnessSettings {
  /** Seats of requests that read; 0 = no bound. */
  readonly maxRequestsInflight: number
  /** Seats of requests that write; 0 = no bound. */
  readonly maxMutatingRequestsInflight: number
  /** Watches in all; 0 = no bound. */
  readonly maxWatches: number
  /** Watches of one flow; 0 = no bound. */
  readonly maxWatchesPerTenant: number
}

export interface Fairness {
  /**
   * Waits until a request of a user may be worked on; it counts until `ended` settles. Fails with TooManyRequests. Without a verb it is about
   * a path, as those of discovery are.
   */
  admit(request: Request, verb: Verb | undefined, user: User, ended: Promise<unknown>): Promise<void>
  /** What watches have not taken yet. */
  readonly unsent: UnsentFrames
  /** What long answers hold until their clients take them. */
  readonly answers: AnswerRoom
  /** When to make and send the next part of a long answer. */
  readonly turns: Turns
}

/** Of all seats one flow has a quarter at most: those who hold theirs for long, as slow readers do, leave the others theirs. */
const shareOfFlow = 0.25
/** kube-apiserver lets as many wait in a queue, and as long: a quarter of the 60 s that a request may take. */
const queue = { queued: 50, queuedInAll: 1000, waitMs: 15_000 }

const mebibyte = 1024 * 1024
const unsentLimits = { bytes: 64 * mebibyte, bytesPerFlow: 16 * mebibyte }
const answerLimits = { bytes: 64 * mebibyte, bytesPerFlow: 16 * mebibyte, waitMs: queue.waitMs }

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
    answers: answerRoom(answerLimits, turns),
    turns,
  }
}

const seatsOf = (seats: number): FairSeats =>
  fairSeats(
    seats === 0
      ? { seats: Number.POSITIVE_INFINITY, perFlow: Number.POSITIVE_INFINITY, ...queue }
      : { seats, perFlow: Math.max(1, Math.floor(seats * shareOfFlow)), ...queue },
  )
