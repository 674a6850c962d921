import { after } from 'node:test'

/**
 * Disposes of a resource when the running test ends, or the file when it was made at its top level. (A `before` hook
 * ends when it returns, and what was made in it goes with it: make things at the top level or in the test.)
 */
export function endWithTest<T extends AsyncDisposable>(resource: T): T {
  after(() => resource[Symbol.asyncDispose]())
  return resource
}

const leftovers = new Set<() => void>()

/**
 * Runs `tidy` when this process ends before the test did: an uncaught error, Ctrl-C, a kill. It must be synchronous.
 * The returned function takes it back, once the thing has been disposed of in the regular way.
 */
export function ifProcessEnds(tidy: () => void): () => void {
  listen()
  leftovers.add(tidy)
  return () => void leftovers.delete(tidy)
}

let listening = false

function listen(): void {
  if (listening) return
  listening = true
  process.once('exit', tidyUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      tidyUp()
      process.kill(process.pid, signal) // this listener is gone: the signal now does what it always does
    })
  }
}

function tidyUp(): void {
  for (const tidy of leftovers) tidy()
  leftovers.clear()
}
