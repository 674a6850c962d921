import type { Flow } from './flow.ts'
import { tooManyRequests } from './too-many-requests.ts'

export interface WatchLimits {
  /** Maximum number of watches in total. */
  readonly watches: number
  readonly perFlow: number
}

export interface OpenWatches {
  /** Counts a watch until the returned function is called. Fails with TooManyRequests if there are too many. */
  open(flow: Flow): () => void
}

/** Counts open watches, per flow and in total. They last for half an hour or more, so seats are not suitable for them. */
export const openWatches = ({ watches, perFlow }: WatchLimits): OpenWatches => {
  const open = new Map<Flow, number>()
  let total = 0
  return {
    open: flow => {
      const own = open.get(flow) ?? 0
      if (own >= perFlow) throw tooManyRequests(`${flow} has ${own} watches open, the maximum`)
      if (total >= watches) throw tooManyRequests(`${total} watches are open, the maximum`)
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
