import type { ReleaseStorage, StoredRelease } from './storage.ts'

/**
 * The storage for one pass, whose lease excludes other writers: caches the history of a release until the pass writes.
 */
export const cachedHistory = (storage: ReleaseStorage): ReleaseStorage => {
  const known = new Map<string, Promise<readonly StoredRelease[]>>()
  const forgetting =
    <A extends readonly unknown[], R>(write: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      known.clear()
      return write(...args)
    }
  return {
    history: name => {
      const read = known.get(name) ?? storage.history(name)
      known.set(name, read)
      read.catch(() => known.delete(name))
      return read
    },
    create: forgetting(storage.create),
    update: forgetting(storage.update),
    remove: forgetting(storage.remove),
  }
}
