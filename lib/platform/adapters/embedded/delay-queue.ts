import type { Clock } from '../../ports/clock.ts'

export interface DelayQueue<T> {
  /** Delivers the item at a time of the monotonic clock, or at once if that has passed. */
  add(item: T, at: number): void
  close(): void
}

interface Delayed<T> {
  readonly item: T
  readonly at: number
}

/** Delivers items at their times, with a single timer. */
export function delayQueue<T>(clock: Pick<Clock, 'monotonic' | 'sleep'>, deliver: (item: T) => void): DelayQueue<T> {
  /** A binary heap: no item is earlier than its parent at (index - 1) / 2. */
  const heap: Delayed<T>[] = []
  let sleeping: { readonly until: number; readonly abort: AbortController } | undefined
  let closed = false

  return {
    add: (item, at) => {
      if (closed) return
      if (at <= clock.monotonic()) return deliver(item)
      push(heap, { item, at })
      if (!sleeping || at < sleeping.until) sleep()
    },
    close: () => {
      closed = true
      sleeping?.abort.abort()
      heap.length = 0
    },
  }

  /** Sleeps until the first item's time; replaces a longer sleep. */
  function sleep(): void {
    sleeping?.abort.abort()
    const first = heap[0]
    if (!first) {
      sleeping = undefined
      return
    }
    const abort = new AbortController()
    sleeping = { until: first.at, abort }
    clock.sleep(first.at - clock.monotonic(), abort.signal).then(wake, () => {})
  }

  function wake(): void {
    while (!closed && heap.length > 0 && heap[0]!.at <= clock.monotonic()) deliver(pop(heap))
    if (!closed) sleep()
  }
}

function push<T>(heap: Delayed<T>[], entry: Delayed<T>): void {
  let index = heap.push(entry) - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (heap[parent]!.at <= entry.at) break
    heap[index] = heap[parent]!
    index = parent
  }
  heap[index] = entry
}

function pop<T>(heap: Delayed<T>[]): T {
  const { item } = heap[0]!
  const entry = heap.pop()!
  if (heap.length === 0) return item
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child += 1
    if (child >= heap.length || heap[child]!.at >= entry.at) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = entry
  return item
}
