import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Lease } from '../../platform/ports/leases.ts'
import type { Failed } from './reconciler.ts'

/** After so many passes that ended their process, one after the other, the next is spared. */
const maxAbandoned = 2

/** How long a suspect rests. News of it, as a changed spec, a request or a new revision, end the rest. */
const restMs = 60 * 60_000

/** What becomes of an object whose last passes all ended their process; undefined for all others. The pass after this one is tried again. */
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
 * Has passes wait whose predecessor ended its process: until all others that run here are done, and one after the other. So they take nobody
 * along, and only the one that is to blame is blamed.
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
