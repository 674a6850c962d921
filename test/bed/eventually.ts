import { setTimeout as sleep } from 'node:timers/promises'
import { patienceOf } from './patience.ts'

export interface Patience {
  /** Milliseconds of a quiet machine until it gives up (see `patienceOf`); 30 s unless given. */
  readonly within?: number
  /** Milliseconds between two probes; 50 by default. */
  readonly every?: number
}

/** `undefined` would mean both "the assertions hold" and "not found", so a probe returns one or the other kind. */
type Unambiguous<T> = undefined extends Awaited<T> ? ([Awaited<T>] extends [Nothing] ? T : never) : T
// biome-ignore lint/suspicious/noConfusingVoidType: what a function without a return statement returns
type Nothing = void

/**
 * Polls until the probe neither throws nor returns `false` or `null`, and returns its result.
 * A probe asserts and returns nothing, or returns whether or what it found (`?? null` where that may be undefined).
 * After the timeout it fails with the problem of the last probe.
 */
export async function eventually<T>(probe: () => Unambiguous<T>, patience?: Patience): Promise<Found<T>>
export async function eventually<T>(probe: () => T, { within = 30_000, every = 50 }: Patience = {}): Promise<T> {
  const patience = patienceOf(within)
  for (;;) {
    const attempt = await attemptOf(probe)
    if ('found' in attempt) return attempt.found
    if (patience.isOver()) throw gaveUp(attempt.because, within, patience.elapsed())
    await sleep(every)
  }
}

type Found<T> = Exclude<Awaited<T>, false | null>

async function attemptOf<T>(probe: () => T): Promise<{ found: T } | { because: unknown }> {
  try {
    const result = await probe()
    if (result === false || result === null) return { because: new Error(`the probe returned ${result}`) }
    return { found: result }
  } catch (error) {
    return { because: error }
  }
}

/** The last error itself, so that assertion diffs stay readable; its message says how long we tried, and how long that took. */
function gaveUp(because: unknown, within: number, elapsed: number): unknown {
  const busy = elapsed > 1.5 * within + 1000 ? ` (${Math.round(elapsed / 1000)} s on this busy machine)` : ''
  const prefix = `not within ${within / 1000} s${busy}: `
  if (!(because instanceof Error)) return new Error(`${prefix}${because}`)
  because.message = prefix + because.message
  return because
}
