import type { ObjectRef } from '../../foundations/kinds/object.ts'

/** One writer per object: whoever holds the lease may reconcile it. */
export interface Leases {
  /**
   * The lease, or undefined when somebody else holds it; then the object is marked dirty, and the holder learns of it
   * when it releases. An expired lease may be taken over; the token tells the old holder's writes from the new one's.
   * A lease ends when it is released or taken over, not by expiry alone: until then its holder's writes are good.
   */
  acquire(ref: ObjectRef, ttlMs: number): Promise<Lease | undefined>
  /** A longer life for the same lease. Fails with LeaseLost when it has been taken over. */
  renew(lease: Lease, ttlMs: number): Promise<Lease>
  /**
   * Gives the lease back. `dirty`: a hint arrived meanwhile, so the object must be looked at once more. A lease that was
   * taken over is not dirty: whoever took it looks anyway. `abandoned` is what the next holder is told, for one who has not tried: 0 unless given.
   */
  release(lease: Lease, abandoned?: number): Promise<{ readonly dirty: boolean }>
  /** What the next holder would be told; without taking the lease. */
  abandonedOf(ref: ObjectRef): Promise<number>
}

export interface Lease {
  readonly ref: ObjectRef
  /** Fencing token: grows with every acquisition of this object's lease. */
  readonly token: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /**
   * How many holders before this one, one after the other, never gave it back, as far as the platform remembers: their process ended, out of
   * memory or time for instance.
   */
  readonly abandoned: number
}

export class LeaseLost extends Error {
  constructor(lease: Lease) {
    super(`the lease on ${lease.ref.kind}/${lease.ref.namespace}/${lease.ref.name} (token ${lease.token}) was lost`)
    this.name = 'LeaseLost'
  }
}
