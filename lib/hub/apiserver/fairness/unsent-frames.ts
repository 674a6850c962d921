import type { Flow } from './flow.ts'

export interface UnsentLimits {
  /** Bytes of frames in all, one that many watches share counted once. */
  readonly bytes: number
  readonly bytesPerFlow: number
}

export interface UnsentFrames {
  /**
   * Counts a frame while its client takes it, until what it returns is called. When there is more than may be, those who take longest are
   * dropped, whoever they are: `drop` is called, and their frames count no more.
   */
  hold(flow: Flow, frame: Uint8Array, drop: () => void): () => void
}

/**
 * What watches have been given and have not taken yet. kube-apiserver gives each watch a buffer of so many events and ends those that are
 * full; events are of a few bytes or of a megabyte, so here the bytes are counted, and a client may be slow while nobody needs them.
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
  /** The longest held first. */
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
