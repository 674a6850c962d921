import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/**
 * Makes V8 return memory early: a hub is mostly idle and runs on small machines, but by default V8 takes 200 MB rather than collect the garbage of a busy
 * minute. Eager collection takes two thirds of the CPU time of a hub that is busy for longer (lists of thousands of objects, hundreds of watchers),
 * so a busy hub may take memory until it is idle or its heap is large.
 */
export const applyHeapPolicy = (): void => {
  setFlagsFromString('--semi-space-growth-factor=1')
  // The heap of a busy hub may grow to one and a half times its live objects; V8's default is up to four times.
  setFlagsFromString('--heap-growing-percent=50')
  setFlagsFromString('--optimize-for-size')
  // The young generation is small. On busy cores the main thread would wait longer for V8's helper threads than it takes to collect it.
  setFlagsFromString('--no-parallel-scavenge')
  raiseCompilerThresholds()
  const modeAfter = createLoadMonitor()
  let before = performance.eventLoopUtilization()
  let measured: Mode = 'at rest'
  let mode: Mode = 'at rest'
  const sample = (): void => {
    const now = performance.eventLoopUtilization()
    measured = modeAfter(performance.eventLoopUtilization(now, before).utilization) ?? measured
    before = now
    const next = getHeapStatistics().total_heap_size > maxBusyHeap ? 'at rest' : measured
    if (next !== mode) setFlagsFromString(next === 'busy' ? '--no-optimize-for-size' : '--optimize-for-size')
    mode = next
  }
  setInterval(sample, 1000).unref()
}

/**
 * Raises the thresholds of V8's optimizing compilers, by default 400 and 3,000 invocations. In a hub's short bursts nearly everything reaches
 * those, but rarely runs as often again: compilers took a fifth of the CPU of 300 new Kustomizations. Hot code is still optimized, a moment later.
 */
const raiseCompilerThresholds = (): void => {
  setFlagsFromString('--invocation-count-for-maglev=1600')
  setFlagsFromString('--invocation-count-for-turbofan=12000')
}

type Mode = 'busy' | 'at rest'

const busyUtilization = 0.7
/** Above this many bytes a busy hub collects as eagerly as an idle one; a hub of thousands of objects needs a third of it. */
const maxBusyHeap = 300 * 1024 * 1024
/** Consecutive seconds that change the mode: a push to a hundred Kustomizations ends before that. */
const seconds = { untilBusy: 3, untilRest: 10 }

/** Takes the utilization of each second; returns the new mode when it changes. */
export const createLoadMonitor = (): ((utilization: number) => Mode | undefined) => {
  let isBusy = false
  let secondsInOtherMode = 0
  return utilization => {
    secondsInOtherMode = utilization > busyUtilization === isBusy ? 0 : secondsInOtherMode + 1
    if (secondsInOtherMode < (isBusy ? seconds.untilRest : seconds.untilBusy)) return undefined
    isBusy = !isBusy
    secondsInOtherMode = 0
    return isBusy ? 'busy' : 'at rest'
  }
}
