import { isPending, type Release, withStatus } from '../../engines/helm/release/release.ts'
import type { ActionDeps } from './action.ts'

/**
 * Marks a release as failed whose action has died with its process, so that the next one can begin. Only who holds the lease of the
 * release may do so. Resolves with the release as it is now; undefined when no action is pending.
 */
export const unlock = async ({ storage }: Pick<ActionDeps, 'storage'>, name: string): Promise<Release | undefined> => {
  const [last] = await storage.history(name)
  if (!last || !isPending(last.release)) return undefined
  const { status } = last.release.info
  const failed = withStatus(last.release, 'failed', `Release unlocked from stale '${status}' state`)
  await storage.update(failed)
  return failed
}
