import process from 'node:process'
import { compilers } from './heap-policy.ts'

/** What malloc and V8 read once, before anything runs. */
interface MemorySettings {
  /** Environment of glibc's malloc (mallopt(3)). A variable that is set already keeps its value. */
  readonly malloc: Readonly<Record<`MALLOC_${string}_`, string> & { readonly MALLOC_ARENA_MAX: string }>
  /** The first has the size of V8's young generation, in MB. None is given if the command line has that. */
  readonly flags: readonly [
    youngGeneration: `--m${'in' | 'ax'}-semi-space-size=${number}`,
    ...others: readonly string[],
  ]
}

/**
 * A hub allocates large blocks for a short time: bodies, archives, data to compress. By default glibc raises both thresholds to the largest block
 * freed so far, up to 32 MB, and keeps free memory below them: under attack that was a third of the hub's memory.
 */
const ofHub: MemorySettings = {
  malloc: {
    /** Blocks of this many bytes or more have their own mapping, which is returned to the system when the block is freed. */
    MALLOC_MMAP_THRESHOLD_: '131072',
    /** The number of bytes that may be free at the end of the heap. */
    MALLOC_TRIM_THRESHOLD_: '131072',
    /** Heaps that the threads share. glibc makes up to eight per core, and free memory in one can't be used by the others. */
    MALLOC_ARENA_MAX: '4',
  },
  // What passes make is mostly garbage before 4 MB are full, and then costs the collector nothing: it takes 9 % of the main thread's time in place of
  // 20 while 300 Kustomizations are installed.
  flags: ['--min-semi-space-size=4'],
}

/** A runner may be one of a hundred on a machine, and its threads have little to do. It compiles nothing while it starts: see `applyRunnerHeapPolicy`. */
const ofRunner: MemorySettings = {
  malloc: {
    MALLOC_MMAP_THRESHOLD_: '32768',
    MALLOC_TRIM_THRESHOLD_: '32768',
    MALLOC_TOP_PAD_: '0',
    MALLOC_ARENA_MAX: '1',
  },
  flags: [
    '--max-semi-space-size=1',
    // To mark 18 MB at once takes tens of milliseconds. In steps, beside threads that wait for a processor, the heap grew by 4 MB until the last one.
    '--no-incremental-marking',
    ...compilers.map(name => `--no-${name}`),
    // undici parses HTTP with WebAssembly, which `--no-opt` does not cover: the optimizing compiler ran for it and for the calls of its functions.
    // Its program text and what it allocated stayed, 4 MB, after a peak of 20.
    '--liftoff-only',
    '--wasm-wrapper-tiering-budget=1000000000',
  ],
}

/**
 * Starts this process again, with the same id, arguments and standard streams, so that malloc and V8 have the settings of the command. Returns if they are
 * already set, on systems without glibc, and in a child process that communicates with its parent over Node's channel, which would be closed.
 */
export const applyMemoryPolicy = (command: 'serve' | 'runner'): void => {
  const { malloc, flags } = command === 'serve' ? ofHub : ofRunner
  const [size] = flags[0].split('=', 1)
  const missing = Object.entries(malloc).filter(([name]) => process.env[name] === undefined)
  const isSized = process.execArgv.some(given => given.startsWith(size!))
  if ((missing.length === 0 && isSized) || process.platform !== 'linux' || process.channel || !process.execve) return
  const given = isSized ? process.execArgv : [...process.execArgv, ...flags]
  const args = [process.execPath, ...given, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...process.env, ...Object.fromEntries(missing) })
}
