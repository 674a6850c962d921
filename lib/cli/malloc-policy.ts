import process from 'node:process'

/**
 * Settings of glibc's malloc, in the environment of the process (mallopt(3)). A hub takes large blocks for a moment: bodies, archives,
 * what it compresses. By itself glibc raises both thresholds to the largest block that was freed so far, up to 32 MB, and keeps what is
 * freed below them: under attack that was a third of the hub's memory. A variable that is set already keeps its value.
 */
const settings = {
  /** From this many bytes on, a block has a mapping of its own, which goes back to the system when the block is freed. */
  MALLOC_MMAP_THRESHOLD_: '131072',
  /** The number of bytes that may be free at the end of the heap. */
  MALLOC_TRIM_THRESHOLD_: '131072',
  /** Heaps that the threads share. glibc makes up to eight per core, and memory that is free in one is of no use to the others. */
  MALLOC_ARENA_MAX: '4',
} as const

/**
 * Starts this process again, with the same id, arguments and standard streams, so that malloc has these settings: it reads them once,
 * before anything runs. Returns where they are set already, on systems without glibc, and in a child that talks to its parent over
 * Node's channel, which would be closed.
 */
export const applyMallocPolicy = (): void => {
  const missing = Object.entries(settings).filter(([name]) => process.env[name] === undefined)
  if (missing.length === 0 || process.platform !== 'linux' || process.channel || !process.execve) return
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...process.env, ...Object.fromEntries(missing) })
}
