import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Lease, Leases } from '../../platform/ports/leases.ts'

export interface LeasePorts {
  readonly leases: Leases
  readonly clock: Clock
}

/**
 * Runs work as the only writer of an object. Renews the lease in the background; if that fails, the work's signal aborts. Resolves to
 * undefined if another holder has the lease (which learns of this attempt), and otherwise to the work's result and whether others tried to acquire
 * the lease in the meantime. `abandoned` is the count of unfinished attempts for the next holder.
 */
export const whileHoldingLease = async <R>(
  { leases, clock }: LeasePorts,
  ref: ObjectRef,
  ttlMs: number,
  outerSignal: AbortSignal | undefined,
  work: (lease: Lease, signal: AbortSignal) => Promise<{ readonly result: R; readonly abandoned?: number }>,
): Promise<{ readonly result: R; readonly dirty: boolean } | undefined> => {
  const lease = await leases.acquire(ref, ttlMs)
  if (!lease) return undefined
  const lost = new AbortController()
  const finished = new AbortController()
  const renewing = renew(leases, clock, lease, ttlMs, finished.signal).catch(error => lost.abort(error))
  try {
    const signal = outerSignal ? AbortSignal.any([outerSignal, lost.signal]) : lost.signal
    const { result, abandoned } = await work(lease, signal)
    return { result, dirty: await release(abandoned) }
  } catch (error) {
    await release().catch(() => {}) // the work's own error matters more
    throw error
  }

  async function release(abandoned?: number): Promise<boolean> {
    finished.abort('finished')
    await renewing
    return (await leases.release(lease!, abandoned)).dirty
  }
}

/** Renews until the signal aborts; fails when the lease is lost. */
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
