import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import type { Failed } from './reconciler.ts'

/** After this many passes in a row that killed their process, the next one is skipped. */
const maxAbandoned = 2

/** How long a suspect is left alone. News, such as a changed spec, a request or a new revision, ends that. */
const restMs = 60 * 60_000

/** The outcome for an object whose last passes all killed their process; undefined for all others. The pass after this one is tried again. */
export const isolation = ({ abandoned }: Lease): Failed<KubernetesObject> | undefined => {
  if (abandoned < maxAbandoned) return undefined
  return {
    type: 'failed',
    reason: 'ReconciliationFailed',
    message: `the process ended during each of the last ${abandoned} passes, most likely out of memory or time: the next one is in an hour, or when the object or its source changes`,
    afterMs: restMs,
  }
}

/**
 * Holds passes back whose predecessor killed its process, until all others here are done, and runs them one at a time. They then take no
 * other pass down with them, and only the culprit is blamed.
 */
export const suspectsLast = (): (<T>(lease: Lease, pass: () => Promise<T>) => Promise<T>) => {
  const running = new Set<Promise<unknown>>()
  let lastSuspect: Promise<unknown> = Promise.resolve()
  return ({ abandoned }, pass) => {
    if (abandoned === 0) {
      const done = pass()
      const ended = done.catch(() => {}).finally(() => running.delete(ended))
      running.add(ended)
      return done
    }
    const before = lastSuspect
    const done = (async () => {
      await before
      while (running.size > 0) await Promise.all(running)
      return pass()
    })()
    lastSuspect = done.catch(() => {})
    return done
  }
}
