import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/**
 * A hub is mostly idle, and lives on small machines: V8 would rather take 200 MB than collect what a busy minute left, so it is
 * told to. But collecting that eagerly costs two thirds of the time of a hub that is busy for longer (lists of thousands of
 * objects, hundreds of watchers): until it comes to rest, or holds a lot, it may take memory then.
 */
export const applyHeapPolicy = (): void => {
  setFlagsFromString('--semi-space-growth-factor=1')
  // A busy one may have half as much again as it holds; V8's own rule is up to four times.
  setFlagsFromString('--heap-growing-percent=50')
  setFlagsFromString('--optimize-for-size')
  compileLate()
  const judge = createLoadMonitor()
  let before = performance.eventLoopUtilization()
  let judged: Mode = 'at rest'
  let mode: Mode = 'at rest'
  const sample = (): void => {
    const now = performance.eventLoopUtilization()
    judged = judge(performance.eventLoopUtilization(now, before).utilization) ?? judged
    before = now
    const next = getHeapStatistics().total_heap_size > maxBusyHeap ? 'at rest' : judged
    if (next !== mode) setFlagsFromString(next === 'busy' ? '--no-optimize-for-size' : '--optimize-for-size')
    mode = next
  }
  setInterval(sample, 1000).unref()
}

/**
 * V8 optimizes what has run 400 times, and again at 3,000. Of a hub's short bursts that is nearly everything, and most of it never runs so
 * often again: a fifth of the CPU of 300 new Kustomizations went into compilers. What is really hot gets there all the same, a moment later.
 */
const compileLate = (): void => {
  setFlagsFromString('--invocation-count-for-maglev=1600')
  setFlagsFromString('--invocation-count-for-turbofan=12000')
}

type Mode = 'busy' | 'at rest'

const busyShare = 0.7
/** Beyond this many bytes a busy hub collects as eagerly as one at rest: a hub of thousands of objects has a third of it. */
const maxBusyHeap = 300 * 1024 * 1024
/** So many seconds in a row change the verdict: a push to a hundred Kustomizations is over before. */
const seconds = { untilBusy: 3, untilRest: 10 }

/** Given the share of each second that was worked in, says when the hub has become busy, and when it has come to rest. */
export const createLoadMonitor = (): ((utilization: number) => Mode | undefined) => {
  let isBusy = false
  let otherwise = 0
  return utilization => {
    otherwise = utilization > busyShare === isBusy ? 0 : otherwise + 1
    if (otherwise < (isBusy ? seconds.untilRest : seconds.untilBusy)) return undefined
    isBusy = !isBusy
    otherwise = 0
    return isBusy ? 'busy' : 'at rest'
  }
}
