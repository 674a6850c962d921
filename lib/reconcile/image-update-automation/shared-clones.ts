import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { type Clone, clone as newClone } from '../../sources/git/clone.ts'
import type { GitCredentials } from '../../sources/git/credentials.ts'
import { accessOf } from '../git-repository/shared-commits.ts'

/** A repository, as one user may access it. */
export interface Remote {
  readonly url: URL
  readonly credentials: GitCredentials
}

/**
 * Runs the automations of one remote in this process one after the other, in whatever namespaces they are, so that their pushes do not meet, and with one
 * clone, so that each fetches only what the others have not fetched or pushed. Those with other credentials have a queue and a clone of their own.
 */
export type RunInTurn = <T>(
  remote: Remote,
  signal: AbortSignal,
  run: (clone: Clone | undefined) => Promise<T>,
) => Promise<T>

/** Of all clones, in memory. */
const maxBytes = 32 << 20

/** A run that has waited so long starts without a clone, in milliseconds: a server that does not respond must not stop them all. */
const maxWaitMs = 30_000

/** Clones and queues of one process, up to 32 MiB of clones; the one that was not used for longest is dropped first. */
export const sharedClones = (): RunInTurn => {
  const clones = new RecentlyUsed<Clone>(maxBytes)
  const queues = new Map<string, Promise<unknown>>()

  return async ({ url, credentials }, signal, run) => {
    const key = sha256Digest(JSON.stringify([url.href, accessOf(url, credentials)]))
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const before = queues.get(key)
    const last = Promise.all([before, ended])
    queues.set(key, last)
    try {
      const isInTurn = await within(before, AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]))
      signal.throwIfAborted()
      if (!isInTurn) return await run(undefined)
      const clone = clones.get(key) ?? newClone(maxBytes)
      try {
        return await run(clone)
      } finally {
        clones.set(key, clone, clone.size)
      }
    } finally {
      end()
      if (queues.get(key) === last) queues.delete(key)
    }
  }
}

/** Whether something ends before a signal. */
const within = async (work: Promise<unknown> | undefined, signal: AbortSignal): Promise<boolean> => {
  if (!work) return true
  const aborted = new Promise<boolean>(resolve => {
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  return Promise.race([work.then(() => true), aborted])
}
