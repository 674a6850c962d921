import { performance } from 'node:perf_hooks'

type Mode = 'busy' | 'at rest'

const busyUtilization = 0.7
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

/** The share of the time since the last call that was used. */
type Meter = () => number

/** What an event loop had to do, and what it waited for without anything else to do, such as a disk or a processor. */
export const eventLoopUsed = (): Meter => {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}

/** What a process was given of a processor. `cpuUsage` is in microseconds, `now` in milliseconds. */
export const processorUsed = (
  cpuUsage: () => NodeJS.CpuUsage = () => process.cpuUsage(),
  now: () => number = () => performance.now(),
): Meter => {
  const read = () => {
    const { user, system } = cpuUsage()
    return { usedMs: (user + system) / 1000, at: now() }
  }
  let before = read()
  return () => {
    const { usedMs, at } = read()
    const share = (usedMs - before.usedMs) / (at - before.at)
    before = { usedMs, at }
    return share
  }
}

/** Calls `set` when the process becomes busy, and when it is at rest again, where it begins. `modeFor` may overrule what is measured. */
export const followLoad = (
  used: Meter,
  set: (mode: Mode) => void,
  modeFor: (measured: Mode) => Mode = mode => mode,
): void => {
  const modeAfter = createLoadMonitor()
  let measured: Mode = 'at rest'
  let mode: Mode = 'at rest'
  const sample = (): void => {
    measured = modeAfter(used()) ?? measured
    const next = modeFor(measured)
    if (next !== mode) set(next)
    mode = next
  }
  setInterval(sample, 1000).unref()
}
