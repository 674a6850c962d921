import type { Flow } from './flow.ts'

export interface UnsentLimits {
  /** Total bytes of frames; one shared by many watches counts once. */
  readonly bytes: number
  readonly bytesPerFlow: number
}

export interface UnsentFrames {
  /**
   * Counts a frame until the returned function is called, when its client has received it. Above the limit, the slowest watches are dropped,
   * whatever their flow: `drop` is called, and their frames no longer count.
   */
  hold(flow: Flow, frame: Uint8Array, drop: () => void): () => void
}

/**
 * The frames of watches that were not received yet. kube-apiserver gives each watch a buffer for a number of events, and ends those that are
 * full; as events range from a few bytes to a megabyte, the hub counts bytes, and allows slow clients while memory is available.
 */
export const unsentFrames = ({ bytes, bytesPerFlow }: UnsentLimits): UnsentFrames => {
  const all = pool(bytes)
  const flows = new Map<Flow, Pool>()
  return {
    hold: (flow, frame, drop) => {
      const own = flows.get(flow) ?? pool(bytesPerFlow)
      flows.set(flow, own)
      const release = () => {
        all.delete(holder)
        own.delete(holder)
        if (own.isEmpty()) flows.delete(flow)
      }
      const holder: Holder = {
        frame,
        drop: () => {
          release()
          drop()
        },
      }
      own.add(holder)
      all.add(holder)
      return release
    },
  }
}

interface Holder {
  readonly frame: Uint8Array
  drop(): void
}

interface Pool {
  add(holder: Holder): void
  delete(holder: Holder): void
  isEmpty(): boolean
}

const pool = (limit: number): Pool => {
  /** In the order in which they were added. */
  const holders = new Set<Holder>()
  const uses = new Map<Uint8Array, number>()
  let size = 0
  return {
    add: holder => {
      holders.add(holder)
      const before = uses.get(holder.frame) ?? 0
      uses.set(holder.frame, before + 1)
      if (before === 0) size += holder.frame.byteLength
      for (const oldest of holders) {
        if (size <= limit) return
        oldest.drop()
      }
    },
    delete: holder => {
      if (!holders.delete(holder)) return
      const left = uses.get(holder.frame)! - 1
      if (left > 0) uses.set(holder.frame, left)
      else {
        uses.delete(holder.frame)
        size -= holder.frame.byteLength
      }
    },
    isEmpty: () => holders.size === 0,
  }
}
