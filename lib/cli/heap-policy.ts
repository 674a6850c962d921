import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { eventLoopUsed, followLoad, processorUsed } from './load-monitor.ts'

/**
 * Makes V8 return memory early: a hub is mostly idle and runs on small machines, but by default V8 takes 200 MB rather than collect the garbage of a busy
 * minute. Eager collection takes two thirds of the CPU time of a hub that is busy for longer (lists of thousands of objects, hundreds of watchers),
 * so a busy hub may take memory until it is idle or its heap is large.
 */
export const applyHeapPolicy = (): void => {
  // The heap of a busy hub may grow to one and a half times its live objects; V8's default is up to four times.
  collectEarly(50)
  raiseCompilerThresholds()
  followLoad(
    eventLoopUsed(),
    mode => setFlagsFromString(mode === 'busy' ? '--no-optimize-for-size' : '--optimize-for-size'),
    measured => (getHeapStatistics().total_heap_size > maxBusyHeap ? 'at rest' : measured),
  )
}

/**
 * The same for a runner, of which a machine may have a hundred. It waits most of its life, so its code is not optimized until it has been busy for seconds:
 * V8's compilers and what they make take 7 MB. A runner that waits for a disk, or for a processor that ninety-nine others use, is not busy.
 */
export const applyRunnerHeapPolicy = (): void => {
  collectEarly(20)
  followLoad(processorUsed(), mode => {
    for (const name of compilers) setFlagsFromString(mode === 'busy' ? `--${name}` : `--no-${name}`)
  })
}

/** Flags of V8's compilers. A runner's command line turns them off. */
export const compilers = ['sparkplug', 'maglev', 'opt'] as const

/** `growingPercent`: how much the heap may grow before V8 collects it. */
const collectEarly = (growingPercent: number): void => {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
  setFlagsFromString('--optimize-for-size')
  // The young generation is small. On busy cores the main thread would wait longer for V8's helper threads than it takes to collect it.
  setFlagsFromString('--no-parallel-scavenge')
}

/**
 * Raises the thresholds of V8's optimizing compilers, by default 400 and 3,000 invocations. In a hub's short bursts nearly everything reaches
 * those, but rarely runs as often again: compilers took a fifth of the CPU of 300 new Kustomizations. Hot code is still optimized, a moment later.
 */
const raiseCompilerThresholds = (): void => {
  setFlagsFromString('--invocation-count-for-maglev=1600')
  setFlagsFromString('--invocation-count-for-turbofan=12000')
}

/** Above this many bytes a busy hub collects as eagerly as an idle one; a hub of thousands of objects needs a third of it. */
const maxBusyHeap = 300 * 1024 * 1024
