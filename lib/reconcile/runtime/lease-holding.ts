import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Lease, Leases } from '../../platform/ports/leases.ts'

export interface LeasePorts {
  readonly leases: Leases
  readonly clock: Clock
}

/**
 * Does a piece of work as the only writer of an object. The lease is renewed in the background; when that fails, the
 * work's signal ends. Resolves to undefined when somebody else holds the lease (who then learns of our interest),
 * else to whether somebody was turned away meanwhile, with the work's result.
 */
export const whileHoldingLease = async <R>(
  { leases, clock }: LeasePorts,
  ref: ObjectRef,
  ttlMs: number,
  outerSignal: AbortSignal | undefined,
  work: (lease: Lease, signal: AbortSignal) => Promise<R>,
): Promise<{ readonly result: R; readonly dirty: boolean } | undefined> => {
  const lease = await leases.acquire(ref, ttlMs)
  if (!lease) return undefined
  const lost = new AbortController()
  const finished = new AbortController()
  const renewing = renew(leases, clock, lease, ttlMs, finished.signal).catch(error => lost.abort(error))
  try {
    const signal = outerSignal ? AbortSignal.any([outerSignal, lost.signal]) : lost.signal
    const result = await work(lease, signal)
    return { result, dirty: await giveBack() }
  } catch (error) {
    await giveBack().catch(() => {}) // the work's own failure says more
    throw error
  }

  async function giveBack(): Promise<boolean> {
    finished.abort('finished')
    await renewing
    return (await leases.release(lease!)).dirty
  }
}

/** Until the signal ends; fails when the lease was lost. */
const renew = async (leases: Leases, clock: Clock, lease: Lease, ttlMs: number, until: AbortSignal): Promise<void> => {
  while (!until.aborted) {
    try {
      await clock.sleep(ttlMs / 3, until)
    } catch {
      return
    }
    lease = await leases.renew(lease, ttlMs)
  }
}
