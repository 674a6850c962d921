import { type ObjectRef, refKey } from '../../../foundations/kinds/object.ts'
import type { StoredObject } from '../../ports/objects.ts'

/** Characters of bodies that are kept: some hundred objects, a few megabytes. */
const keptCharacters = 1_000_000
/** A larger body is not kept: it would cost too many others their place. */
const maxBodyCharacters = 100_000

/** Objects that were read or written last, so that reading them again asks the database nothing. */
export interface CurrentObjects {
  get(ref: ObjectRef): StoredObject | undefined
  /** Keeps what the database says of an object now; to be called in the transaction that writes it, or with what was just read. */
  put(stored: StoredObject): void
  /** To be called in the transaction that deletes an object, or changes what is kept of it. */
  drop(ref: ObjectRef): void
  /** A transaction was undone: what it put here was never true. */
  clear(): void
}

/** Objects that expire are not kept: they would have to leave by the clock. */
export const currentObjects = (): CurrentObjects => {
  /** The longest kept first. */
  const kept = new Map<string, StoredObject>()
  let characters = 0

  const drop = (key: string) => {
    characters -= kept.get(key)?.body.length ?? 0
    kept.delete(key)
  }

  return {
    get: ref => kept.get(refKey(ref)),
    put: stored => {
      const key = refKey(stored.ref)
      drop(key)
      if (stored.expires !== undefined || stored.body.length > maxBodyCharacters) return
      kept.set(key, stored)
      characters += stored.body.length
      for (const oldest of kept.keys()) {
        if (characters <= keptCharacters) return
        drop(oldest)
      }
    },
    drop: ref => drop(refKey(ref)),
    clear: () => {
      kept.clear()
      characters = 0
    },
  }
}
