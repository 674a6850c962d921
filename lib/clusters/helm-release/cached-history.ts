import type { Release } from '../../engines/helm/release/release.ts'
import type { ReleaseStorage, StoredRelease, WrittenRelease } from './storage.ts'

/** A version in the history of a release; read when it is needed. */
interface Entry {
  readonly version: number
  read(): StoredRelease | undefined
}

/**
 * The storage for one pass, whose lease excludes other writers: the history of a release is requested once, and then follows the pass's own writes.
 * After a write that failed it is requested again.
 */
export const cachedHistory = (storage: ReleaseStorage): ReleaseStorage => {
  const known = new Map<string, Promise<readonly Entry[]>>()
  const know = (name: string, entries: Promise<readonly Entry[]>): void => {
    known.set(name, entries)
    entries.catch(() => known.delete(name))
  }
  const request = async (name: string): Promise<readonly Entry[]> =>
    (await storage.history(name)).map(stored => ({ version: stored.release.version, read: () => stored }))
  const written = async <R>(
    { name }: Release,
    write: Promise<R>,
    change: (before: readonly Entry[], result: R) => readonly Entry[],
  ): Promise<R> => {
    const before = known.get(name)
    known.delete(name)
    const result = await write
    if (before)
      know(
        name,
        before.then(entries => change(entries, result)),
      )
    return result
  }
  return {
    history: async name => {
      if (!known.has(name)) know(name, request(name))
      const entries = await known.get(name)!
      return entries.map(({ read }) => read()).filter(stored => stored !== undefined)
    },
    create: (release, progress, obsolete = []) =>
      written(release, storage.create(release, progress, obsolete), (before, result) => [
        entryOf(result),
        ...without(before, obsolete),
      ]),
    update: (release, state) =>
      written(release, storage.update(release, state), (before, result) =>
        before.map(entry => (entry.version === release.version ? entryOf(result) : entry)),
      ),
    remove: release => written(release, storage.remove(release), before => without(before, [release])),
  }
}

const entryOf = ({ release, readBack }: WrittenRelease): Entry => {
  let stored: { readonly value: StoredRelease | undefined } | undefined
  return {
    version: release.version,
    read: () => {
      stored ??= { value: readBack() }
      return stored.value
    },
  }
}

const without = (entries: readonly Entry[], removed: readonly Release[]): readonly Entry[] =>
  entries.filter(({ version }) => !removed.some(release => release.version === version))
