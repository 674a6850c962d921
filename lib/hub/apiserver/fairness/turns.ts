import type { Flow } from './flow.ts'

export interface Turns {
  /** Waits for a flow's turn to do a piece of work that takes a millisecond or more. */
  take(flow: Flow): Promise<void>
}

/**
 * Pieces of work, one each time around the event loop, of each flow in turn. Hundreds of lists that are read at a time would otherwise be
 * made one after the other before the next request is looked at.
 */
export const eventLoopTurns = (): Turns => {
  /** In the order of their turns. */
  const flows = new Map<Flow, (() => void)[]>()
  let isRunning = false

  const runNext = () => {
    const [next] = flows
    if (!next) {
      isRunning = false
      return
    }
    const [flow, waiting] = next
    flows.delete(flow)
    const begin = waiting.shift()!
    if (waiting.length > 0) flows.set(flow, waiting)
    setImmediate(runNext)
    begin()
  }

  return {
    take: flow =>
      new Promise(resolve => {
        const waiting = flows.get(flow) ?? []
        waiting.push(resolve)
        flows.set(flow, waiting)
        if (isRunning) return
        isRunning = true
        setImmediate(runNext)
      }),
  }
}
