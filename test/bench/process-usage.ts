import { readFileSync, writeFileSync } from 'node:fs'

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const ticksPerSecond = 100

/** CPU seconds that a process has used so far, in user and kernel mode. */
export function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The same of all processes that this one has started and that have ended. */
export function cpuSecondsOfEnded(): number {
  const fields = statOf('self')
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

/** The fields of proc(5)'s stat, from the third on. */
const statOf = (pid: number | 'self'): readonly string[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Lets the peak of `residentOf` begin anew (proc(5), clear_refs). */
export const forgetPeakOf = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** Megabytes of memory that a process holds now, and at most held so far. */
export function residentOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024)
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** Megabytes of a process with its share only of what processes have in common, such as Node's program (proc(5), Pss). */
export function proportionalOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
}
