import { refKey } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import { type Lease, LeaseLost, type Leases } from '../../ports/leases.ts'

export interface ProcessLeases extends Leases {
  /** Whether the lease has been neither released nor taken over. */
  isCurrent(lease: Lease): boolean
}

interface Held {
  readonly lease: Lease
  /** On the monotonic clock: setting the time neither ends nor extends a lease. */
  readonly expiresAt: number
  dirty: boolean
}

/**
 * Leases in this process's memory. Only one process has the database open, so leases need not outlive it: those of a killed process are free at the
 * next start, without waiting for expiry. The database's epoch makes tokens increase across starts.
 */
export function processLeases(clock: Clock, epoch: number): ProcessLeases {
  const held = new Map<string, Held>()
  let tokens = epoch * 2 ** 32

  const current = (lease: Lease): Held | undefined => {
    const holder = held.get(refKey(lease.ref))
    return holder?.lease.token === lease.token ? holder : undefined
  }

  return {
    acquire: async (ref, ttlMs) => {
      const key = refKey(ref)
      const holder = held.get(key)
      if (holder && holder.expiresAt > clock.monotonic()) {
        holder.dirty = true
        return undefined
      }
      // An earlier holder is in this same process, which has not ended.
      const lease = { ref, token: ++tokens, expiresAt: clock.now() + ttlMs, abandoned: 0 }
      held.set(key, { lease, expiresAt: clock.monotonic() + ttlMs, dirty: false })
      return lease
    },
    renew: async (lease, ttlMs) => {
      const holder = current(lease)
      if (!holder) throw new LeaseLost(lease)
      const renewed = { ...lease, expiresAt: clock.now() + ttlMs }
      held.set(refKey(lease.ref), { lease: renewed, expiresAt: clock.monotonic() + ttlMs, dirty: holder.dirty })
      return renewed
    },
    release: async lease => {
      const holder = current(lease)
      if (!holder) return { dirty: false }
      held.delete(refKey(lease.ref))
      return { dirty: holder.dirty }
    },
    abandonedOf: async () => 0,
    isCurrent: lease => current(lease) !== undefined,
  }
}
