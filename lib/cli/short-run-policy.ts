import { setFlagsFromString } from 'node:v8'

/**
 * For a process that works for a few hundred milliseconds and ends: what V8 does ahead for a longer life is not repaid. Each line
 * with its part of the processor time of a large chart (`npm run bench -- helm`, docs/decisions/0027-charts-in-a-new-process.md).
 */
export const applyShortRunPolicy = (): void => {
  // Optimized code runs too briefly to repay its compilation, which is a quarter.
  setFlagsFromString('--no-opt')
  setFlagsFromString('--invocation-count-for-maglev=2000')
  setFlagsFromString('--no-concurrent-recompilation')
  // The young generation grows quickly to where most of it is garbage when it is full, and no thread marks what the end frees.
  setFlagsFromString('--semi-space-growth-factor=4')
  setFlagsFromString('--no-incremental-marking')
  setFlagsFromString('--no-concurrent-marking')
  // Threads that copy a few megabytes wait for each other longer than they copy.
  setFlagsFromString('--no-parallel-scavenge')
}
