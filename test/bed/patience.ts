import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

/** Tells when to give up on something that has not come. */
export interface PatienceMeter {
  isOver(): boolean
  /** Milliseconds of the clock since it began. */
  elapsed(): number
}

/** What patience is measured by: a clock in milliseconds, and how many processes share one processor right now (1 and more). */
export interface Machine {
  now(): number
  crowding(): number
}

/**
 * Patience for so many milliseconds of a quiet machine. Each stretch of time between two calls of `isOver` counts by the part of a
 * processor that a process got in it: with 20 processes on 2 processors, 30 s of patience last 5 minutes on the clock.
 * So a test fails for what never comes, and not because others were busy.
 */
export function patienceOf(ms: number, machine: Machine = thisMachine): PatienceMeter {
  const began = machine.now()
  let last = began
  let spent = 0
  return {
    isOver: () => {
      const now = machine.now()
      spent += (now - last) / Math.max(1, machine.crowding())
      last = now
      return spent >= ms
    },
    elapsed: () => machine.now() - began,
  }
}

export const thisMachine: Machine = {
  now: () => performance.now(),
  crowding: () => runnable() / availableParallelism(),
}

/** How many processes run or wait for a processor: of this moment on Linux, averaged over the last minute elsewhere. */
function runnable(): number {
  if (process.platform !== 'linux') return loadavg()[0]!
  return runnableIn(readFileSync('/proc/loadavg', 'utf8'))
}

/** `0.20 0.18 0.12 1/80 11206`: the fourth field is runnable/all. */
export const runnableIn = (loadavg: string): number => Number(/ (\d+)\/\d+ /.exec(loadavg)![1])
