/** Work in virtual time: it yields how many milliseconds it waits. */
export type Work = Generator<number, void, void>

export interface VirtualTime {
  /** Milliseconds since the start. */
  now(): number
  /** Begins a piece of work, now or later; `then` is called when it has ended. */
  start(work: Work, then?: () => void, afterMs?: number): void
  /** Lets time pass until nothing is left to do, or until a time. */
  run(until?: number): void
  /** From 0 on, below 1: the same in each run with the same seed. */
  random(): number
}

interface Waiting {
  readonly at: number
  readonly order: number
  readonly work: Work
  readonly then: (() => void) | undefined
}

/** One thing at a time, in the order of their times: so a run is the same as often as it is repeated. */
export const virtualTime = (seed: number): VirtualTime => {
  const heap: Waiting[] = []
  let now = 0
  let order = 0

  const isBefore = (a: Waiting, b: Waiting) => a.at < b.at || (a.at === b.at && a.order < b.order)
  const push = (waiting: Waiting): void => {
    let at = heap.push(waiting) - 1
    for (let parent = (at - 1) >> 1; at > 0 && isBefore(waiting, heap[parent]!); parent = (at - 1) >> 1) {
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = waiting
  }
  const pop = (): Waiting => {
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }

  return {
    now: () => now,
    random: mulberry32(seed),
    start: (work, then, afterMs = 0) => push({ at: now + afterMs, order: order++, work, then }),
    run: (until = Number.POSITIVE_INFINITY) => {
      while (heap.length > 0 && heap[0]!.at <= until) {
        const next = pop()
        now = next.at
        const { done, value } = next.work.next()
        if (done) next.then?.()
        else push({ ...next, at: now + (value as number), order: order++ })
      }
      if (Number.isFinite(until)) now = Math.max(now, until)
    },
  }
}

/** A small generator of numbers by chance, public domain (Tommy Ettinger). */
const mulberry32 = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
