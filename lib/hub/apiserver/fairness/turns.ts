import type { Flow } from './flow.ts'

export interface Turns {
  /** Waits for a flow's turn to do a piece of work that takes a millisecond or more, such as sending a part of an answer. */
  take(flow: Flow): Promise<void>
  /** The same for reading objects, which may take long: others get as much time afterwards. */
  takeToRead(flow: Flow): Promise<void>
}

interface Piece {
  readonly isRead: boolean
  begin(): void
}

/** Reading that takes longer, in milliseconds, is followed by a pause when more is waiting. */
const shortMs = 5
const maxPauseMs = 50

/**
 * Pieces of work, one each time around the event loop, of each flow in turn. Hundreds of lists that are read at a time would otherwise be
 * made one after the other before the next request is looked at. While more is waiting, a long read is followed by a pause of its length:
 * a reconciliation takes many steps, each of which would otherwise wait for a page of every list that somebody asks for.
 */
export const eventLoopTurns = (): Turns => {
  /** In the order of their turns. */
  const flows = new Map<Flow, Piece[]>()
  let isRunning = false
  /** When the last read began; undefined after a piece of another kind. */
  let readAt: number | undefined

  /** The two run one right after the other, with nothing but the piece of work in between. */
  const step = () => {
    setImmediate(runNext)
    setImmediate(afterPiece)
  }

  const runNext = () => {
    const [flow, waiting] = flows.entries().next().value!
    flows.delete(flow)
    const { begin, isRead } = waiting.shift()!
    if (waiting.length > 0) flows.set(flow, waiting)
    readAt = isRead ? performance.now() : undefined
    begin()
  }

  const afterPiece = () => {
    if (flows.size === 0) {
      isRunning = false
      return
    }
    const tookMs = readAt === undefined ? 0 : performance.now() - readAt
    if (tookMs > shortMs) setTimeout(step, Math.min(tookMs, maxPauseMs))
    else step()
  }

  const take = (flow: Flow, isRead: boolean): Promise<void> =>
    new Promise(begin => {
      const waiting = flows.get(flow) ?? []
      waiting.push({ isRead, begin })
      flows.set(flow, waiting)
      if (isRunning) return
      isRunning = true
      step()
    })
  return { take: flow => take(flow, false), takeToRead: flow => take(flow, true) }
}
