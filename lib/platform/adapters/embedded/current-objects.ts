import { RecentlyUsed } from '../../../foundations/budget/recently-used.ts'
import { type ObjectRef, refKey } from '../../../foundations/kinds/object.ts'
import type { StoredObject } from '../../ports/objects.ts'

/** Maximum size of the cache in characters of bodies: some hundred objects, a few megabytes. */
const maxCharacters = 1_000_000
/** Larger bodies are not cached: they would evict too many others. */
const maxBodyCharacters = 100_000

/** A cache of recently read or written objects, so that reading them again needs no query. */
export interface CurrentObjects {
  get(ref: ObjectRef): StoredObject | undefined
  /** Caches an object's current state; called in the transaction that writes it, or after a read. */
  put(stored: StoredObject): void
  /** Called in the transaction that deletes an object or changes its cached fields. */
  drop(ref: ObjectRef): void
  /** Called when a transaction was rolled back: cached states of it never existed. */
  clear(): void
}

/** Expiring objects are not cached, since they would have to leave the cache by the clock. */
export const currentObjects = (): CurrentObjects => {
  const cache = new RecentlyUsed<StoredObject>(maxCharacters)
  return {
    get: ref => cache.peek(refKey(ref)),
    put: stored => {
      const key = refKey(stored.ref)
      if (stored.expires !== undefined || stored.body.length > maxBodyCharacters) cache.delete(key)
      else cache.set(key, stored, stored.body.length)
    },
    drop: ref => cache.delete(refKey(ref)),
    clear: () => cache.clear(),
  }
}
