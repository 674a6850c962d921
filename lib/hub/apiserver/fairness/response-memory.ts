import type { Flow } from './flow.ts'
import { tooManyRequests } from './too-many-requests.ts'
import type { Turns } from './turns.ts'

export interface ResponseMemoryLimits {
  /** Maximum bytes of responses that clients have not received yet, in total. */
  readonly bytes: number
  readonly bytesPerFlow: number
  /** How long a request waits for memory before it is refused, in milliseconds. */
  readonly waitMs: number
}

export interface ResponseMemory {
  /**
   * Waits until the clients of a flow have received enough of its long responses for another to begin, and for the flow's turn. Fails with
   * TooManyRequests if they receive nothing for too long, and with the reason of the request's signal if the client disconnects.
   */
  enter(flow: Flow, request: Pick<Request, 'signal'>): Promise<void>
  /** Counts the memory that a response holds until `taken` settles. */
  hold(flow: Flow, bytes: number, taken: Promise<unknown>): void
}

/**
 * Limits the memory of long responses that are not received yet. Seats limit a flow's requests in flight; this limits what their responses
 * hold: a hundred unread lists of large objects would take half a gigabyte.
 */
export const responseMemory = ({ bytes, bytesPerFlow, waitMs }: ResponseMemoryLimits, turns: Turns): ResponseMemory => {
  const held = new Map<Flow, number>()
  let total = 0
  let released = Promise.withResolvers<void>()

  const add = (flow: Flow, size: number) => {
    const own = (held.get(flow) ?? 0) + size
    if (own === 0) held.delete(flow)
    else held.set(flow, own)
    total += size
  }
  // A flow that holds nothing may always begin: others must not be able to block it.
  const isFull = (flow: Flow) => {
    const own = held.get(flow) ?? 0
    return own >= bytesPerFlow || (own > 0 && total >= bytes)
  }

  return {
    enter: async (flow, { signal }) => {
      await turns.takeToRead(flow)
      if (!isFull(flow)) return
      const timeout = AbortSignal.timeout(waitMs)
      const { promise: ended, reject } = Promise.withResolvers<never>()
      const onDisconnect = () => reject(signal.reason)
      const onTimeout = () =>
        reject(tooManyRequests(`the clients of ${flow} have not received ${held.get(flow) ?? 0} bytes of responses`))
      signal.addEventListener('abort', onDisconnect)
      timeout.addEventListener('abort', onTimeout)
      try {
        if (signal.aborted) onDisconnect()
        while (isFull(flow)) {
          await Promise.race([released.promise, ended])
          await turns.takeToRead(flow)
        }
      } finally {
        signal.removeEventListener('abort', onDisconnect)
        timeout.removeEventListener('abort', onTimeout)
        ended.catch(() => {})
      }
    },
    hold: (flow, size, taken) => {
      add(flow, size)
      const release = () => {
        add(flow, -size)
        released.resolve()
        released = Promise.withResolvers()
      }
      taken.then(release, release)
    },
  }
}
