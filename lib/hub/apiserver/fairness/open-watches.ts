import type { Flow } from './flow.ts'
import { tooManyRequests } from './too-many-requests.ts'

export interface WatchLimits {
  /** Watches in all. */
  readonly watches: number
  readonly perFlow: number
}

export interface OpenWatches {
  /** Counts a watch until what it returns is called. Fails with TooManyRequests when there are too many. */
  open(flow: Flow): () => void
}

/** How many watches there are, by flow and in all. They last for half an hour and more: seats are no measure for them. */
export const openWatches = ({ watches, perFlow }: WatchLimits): OpenWatches => {
  const open = new Map<Flow, number>()
  let total = 0
  return {
    open: flow => {
      const own = open.get(flow) ?? 0
      if (own >= perFlow) throw tooManyRequests(`${flow} has ${own} watches open, the most there may be`)
      if (total >= watches) throw tooManyRequests(`${total} watches are open, the most there may be`)
      open.set(flow, own + 1)
      total++
      let isClosed = false
      return () => {
        if (isClosed) return
        isClosed = true
        total--
        const left = open.get(flow)! - 1
        if (left === 0) open.delete(flow)
        else open.set(flow, left)
      }
    },
  }
}
