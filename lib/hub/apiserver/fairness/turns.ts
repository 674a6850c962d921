import type { Flow } from './flow.ts'

export interface Turns {
  /** Waits for a flow's turn to do a piece of work that takes a millisecond or more. */
  take(flow: Flow): Promise<void>
}

/** A piece of work that takes longer, in milliseconds, is followed by a pause when more is waiting. */
const shortMs = 5
const maxPauseMs = 50

/**
 * Pieces of work, one each time around the event loop, of each flow in turn. Hundreds of lists that are read at a time would otherwise be
 * made one after the other before the next request is looked at. While more is waiting, a long piece is followed by a pause of its length:
 * a reconciliation takes many steps, each of which would otherwise wait for a piece of every list that somebody asks for.
 */
export const eventLoopTurns = (): Turns => {
  /** In the order of their turns. */
  const flows = new Map<Flow, (() => void)[]>()
  let isRunning = false
  let begunAt: number | undefined

  /** The two run one right after the other, with nothing but the piece of work in between. */
  const step = () => {
    setImmediate(runNext)
    setImmediate(afterPiece)
  }

  const runNext = () => {
    const [next] = flows
    if (!next) {
      begunAt = undefined
      isRunning = false
      return
    }
    begunAt = performance.now()
    const [flow, waiting] = next
    flows.delete(flow)
    const begin = waiting.shift()!
    if (waiting.length > 0) flows.set(flow, waiting)
    begin()
  }

  const afterPiece = () => {
    if (begunAt === undefined) return
    const tookMs = performance.now() - begunAt
    if (flows.size > 0 && tookMs > shortMs) setTimeout(step, Math.min(tookMs, maxPauseMs))
    else step()
  }

  return {
    take: flow =>
      new Promise(resolve => {
        const waiting = flows.get(flow) ?? []
        waiting.push(resolve)
        flows.set(flow, waiting)
        if (isRunning) return
        isRunning = true
        step()
      }),
  }
}
