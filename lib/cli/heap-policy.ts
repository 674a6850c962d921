import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/**
 * Makes V8 return memory early: a hub is mostly idle and runs on small machines, but V8 would rather take 200 MB than collect what a busy minute
 * left. Such eager collection costs two thirds of the time of a hub that is busy for longer (lists of thousands of objects, hundreds of watchers),
 * so a busy hub may take memory until it is idle or its heap is large.
 */
export const applyHeapPolicy = (): void => {
  setFlagsFromString('--semi-space-growth-factor=1')
  // The heap of a busy hub may grow to one and a half times its live objects; V8's default is up to four times.
  setFlagsFromString('--heap-growing-percent=50')
  setFlagsFromString('--optimize-for-size')
  // The young generation is small. On busy cores the main thread would wait longer for V8's helper threads than it takes to collect it.
  setFlagsFromString('--no-parallel-scavenge')
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
 * Raises the thresholds of V8's optimizing compilers, by default 400 and 3,000 invocations. In a hub's short bursts nearly everything reaches
 * those, but rarely runs as often again: compilers took a fifth of the CPU of 300 new Kustomizations. Hot code is still optimized, a moment later.
 */
const compileLate = (): void => {
  setFlagsFromString('--invocation-count-for-maglev=1600')
  setFlagsFromString('--invocation-count-for-turbofan=12000')
}

type Mode = 'busy' | 'at rest'

const busyShare = 0.7
/** Above this many bytes a busy hub collects as eagerly as an idle one; a hub of thousands of objects needs a third of it. */
const maxBusyHeap = 300 * 1024 * 1024
/** Consecutive seconds that change the mode: a push to a hundred Kustomizations ends before that. */
const seconds = { untilBusy: 3, untilRest: 10 }

/** Takes the utilization of each second; returns the new mode when it changes. */
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
