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

/** Calls `set` when the process becomes busy, and when it is at rest again, where it begins. `modeFor` may overrule what is measured. */
export const followLoad = (set: (mode: Mode) => void, modeFor: (measured: Mode) => Mode = mode => mode): void => {
  const modeAfter = createLoadMonitor()
  let before = performance.eventLoopUtilization()
  let measured: Mode = 'at rest'
  let mode: Mode = 'at rest'
  const sample = (): void => {
    const now = performance.eventLoopUtilization()
    measured = modeAfter(performance.eventLoopUtilization(now, before).utilization) ?? measured
    before = now
    const next = modeFor(measured)
    if (next !== mode) set(next)
    mode = next
  }
  setInterval(sample, 1000).unref()
}
