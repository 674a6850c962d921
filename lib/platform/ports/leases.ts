import type { ObjectRef } from '../../foundations/kinds/object.ts'

/** One writer per object: only the holder of its lease may reconcile it. */
export interface Leases {
  /**
   * Returns undefined if another holder has the lease; the object is then marked dirty, which `release` reports to that holder. An expired lease
   * may be taken over; its token then fences the old holder's writes. A lease ends by release or takeover, not by expiry alone: until then its
   * holder's writes are accepted.
   */
  acquire(ref: ObjectRef, ttlMs: number): Promise<Lease | undefined>
  /** Extends the lease. Fails with LeaseLost if it has been taken over. */
  renew(lease: Lease, ttlMs: number): Promise<Lease>
  /**
   * `dirty`: a hint arrived while the lease was held, so the object must be reconciled once more. A lease that was
   * taken over is not dirty: the new holder reconciles anyway. `abandoned` is the count that the next holder gets, for
   * a holder that has not attempted the work; 0 by default.
   */
  release(lease: Lease, abandoned?: number): Promise<{ readonly dirty: boolean }>
  /** The `abandoned` that the next holder would get; does not take the lease. */
  abandonedOf(ref: ObjectRef): Promise<number>
}

export interface Lease {
  readonly ref: ObjectRef
  /** Fencing token: increases with every acquisition of the object's lease. */
  readonly token: number
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /**
   * How many consecutive holders before this one never released the lease, as far as the platform knows: for instance because their processes ran
   * out of memory or time.
   */
  readonly abandoned: number
}

export class LeaseLost extends Error {
  constructor(lease: Lease) {
    super(`the lease on ${lease.ref.kind}/${lease.ref.namespace}/${lease.ref.name} (token ${lease.token}) was lost`)
    this.name = 'LeaseLost'
  }
}
