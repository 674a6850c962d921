import type { Flow } from './flow.ts'

export interface Turns {
  /** Waits for a flow's turn to do work of a millisecond or more, such as sending part of a response. */
  take(flow: Flow): Promise<void>
  /** The same for reading objects, which may take long: others get as much time afterwards. */
  takeToRead(flow: Flow): Promise<void>
}

interface Piece {
  readonly isRead: boolean
  begin(): void
}

/** A read that takes longer, in milliseconds, is followed by a pause if more work is waiting. */
const shortMs = 5
const maxPauseMs = 50

/**
 * Runs one piece of work per iteration of the event loop, for each flow in turn. Otherwise hundreds of concurrent lists would be created one
 * after the other before the next request is served. While more is waiting, a long read is followed by a pause of the same length: a
 * reconciliation takes many steps, each of which would otherwise wait for a page of every list.
 */
export const eventLoopTurns = (): Turns => {
  /** In order of their turns. */
  const flows = new Map<Flow, Piece[]>()
  let isRunning = false
  /** When the last read began; undefined after other work. */
  let readAt: number | undefined

  /** The two run directly one after the other, with only the piece of work in between. */
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
