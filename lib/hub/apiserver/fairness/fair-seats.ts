import type { Flow } from './flow.ts'
import { tooManyRequests } from './too-many-requests.ts'

export interface SeatLimits {
  /** Total number of seats. */
  readonly seats: number
  /** Maximum number of seats per flow. */
  readonly perFlow: number
  /** Maximum number of waiting requests per flow. */
  readonly queued: number
  /** Maximum number of waiting requests in total. */
  readonly queuedTotal: number
  /** How long a request waits before it is refused, in milliseconds. */
  readonly waitMs: number
}

export interface FairSeats {
  /**
   * Waits for seats, at most as many as a flow may have, and returns the function that releases them. Fails with TooManyRequests if too many
   * requests wait already, or none became free in time; and with the reason of the request's signal if the client disconnects.
   */
  take(flow: Flow, width: number, request: Pick<Request, 'signal'>): Promise<() => void>
}

interface Waiter {
  readonly width: number
  seat(): void
}

interface FlowState {
  taken: number
  readonly waiting: Set<Waiter>
}

/**
 * Seats for requests in flight. Flows take turns: however many requests of one flow wait, another flow's next request follows the first of them.
 * Kubernetes shuffles flows into a fixed number of queues, as it can't keep one per flow; here flows are namespaces and users with current
 * requests, few enough for a queue each, which isolates them better.
 */
export const fairSeats = ({ seats, perFlow, queued, queuedTotal, waitMs }: SeatLimits): FairSeats => {
  /** In order of their turns; only flows with requests. */
  const flows = new Map<Flow, FlowState>()
  let taken = 0
  let waiting = 0

  const stateOf = (flow: Flow): FlowState => {
    const state = flows.get(flow) ?? { taken: 0, waiting: new Set() }
    flows.set(flow, state)
    return state
  }

  const fits = (state: FlowState, width: number) => taken + width <= seats && state.taken + width <= perFlow

  const occupy = (flow: Flow, state: FlowState, width: number): (() => void) => {
    taken += width
    state.taken += width
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      taken -= width
      state.taken -= width
      forgetIdle(flow, state)
      seatNext()
    }
  }

  const forgetIdle = (flow: Flow, state: FlowState) => {
    if (state.taken === 0 && state.waiting.size === 0 && flows.get(flow) === state) flows.delete(flow)
  }

  /** Seats the next requests. A request that needs more seats than are free is not skipped, or it would wait forever. */
  const seatNext = () => {
    for (let isProgress = true; isProgress; ) {
      isProgress = false
      for (const [flow, state] of [...flows]) {
        const [next] = state.waiting
        if (!next || state.taken + next.width > perFlow) continue
        if (taken + next.width > seats) return
        state.waiting.delete(next)
        flows.delete(flow)
        flows.set(flow, state)
        next.seat()
        isProgress = true
      }
    }
  }

  return {
    take: async (flow, wanted, request) => {
      const width = Math.min(wanted, perFlow, seats)
      const state = stateOf(flow)
      if (state.waiting.size === 0 && fits(state, width)) return occupy(flow, state, width)
      if (state.waiting.size >= queued || waiting >= queuedTotal) {
        forgetIdle(flow, state)
        throw tooManyRequests(
          `${flow} has ${state.taken} of ${perFlow} seats and ${state.waiting.size} requests waiting`,
        )
      }
      const { signal } = request
      if (signal.aborted) {
        forgetIdle(flow, state)
        throw signal.reason
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const leave = () => {
        waiting--
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const give = (up: unknown) => {
        state.waiting.delete(waiter)
        leave()
        forgetIdle(flow, state)
        reject(up)
        seatNext()
      }
      const onAbort = () => give(signal.reason)
      const timer = setTimeout(
        () => give(tooManyRequests(`no seat became free for ${flow} in ${waitMs / 1000} s`)),
        waitMs,
      )
      signal.addEventListener('abort', onAbort, { once: true })
      const waiter: Waiter = {
        width,
        seat: () => {
          leave()
          resolve(occupy(flow, state, width))
        },
      }
      waiting++
      state.waiting.add(waiter)
      return promise
    },
  }
}
