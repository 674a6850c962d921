import { isPending, type Release, withStatus } from '../../engines/helm/release/release.ts'
import type { ActionDeps } from './action.ts'

/**
 * Marks a release as failed if its action died with its process, so that the next action can begin. Only the holder of the release's lease may call
 * this. Resolves with the release as it is now; undefined if no action is pending.
 */
export const unlock = async ({ storage }: Pick<ActionDeps, 'storage'>, name: string): Promise<Release | undefined> => {
  const [last] = await storage.history(name)
  if (!last || !isPending(last.release)) return undefined
  const { status } = last.release.info
  const failed = withStatus(last.release, 'failed', `Release unlocked from stale '${status}' state`)
  await storage.update(failed)
  return failed
}
