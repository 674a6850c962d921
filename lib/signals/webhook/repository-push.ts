import { contentIdOf, isContentId } from '../../foundations/kinds/announced-version.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { repositoryRef, versionsFor } from '../../foundations/kinds/followed-version.ts'
import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { announcedVersionFor, requestReconciliation } from './reconcile-request.ts'

/** A push to a git repository that is known without a Receiver: its host has reported it, or the hub has made it. */
export interface RepositoryPush {
  /** In any form: see repositoryAddress. */
  readonly address: string
  /** `refs/heads/main` */
  readonly version: string
  /** The new commit of the version. */
  readonly commit: string
}

export interface RepositoryPushPorts {
  readonly hub: Pick<Hub, 'get' | 'patch' | 'referrers'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** On whose behalf sources are triggered. */
interface PushOrigin {
  readonly user: string
  /** Only its sources; all namespaces if absent. */
  readonly namespace?: string | undefined
}

/**
 * Triggers the GitRepositories that follow the pushed version, except those that have the commit already. Returns their number; fails if
 * one could not be triggered.
 */
export const reconcileRepositories = async (
  ports: RepositoryPushPorts,
  { address, version, commit }: RepositoryPush,
  { user, namespace }: PushOrigin = { user: 'a push to the repository' },
): Promise<number> => {
  const { hub, log } = ports
  const contents = new Map(isContentId(commit) ? [[version, commit]] : [])
  const followers = new Map<string, ObjectRef>()
  for (const followed of versionsFor(version))
    for await (const ref of hub.referrers(repositoryRef(repositoryAddress(address), followed)))
      if (ref.kind === 'GitRepository' && (namespace ?? ref.namespace) === ref.namespace)
        followers.set(refKey(ref), ref)
  let triggered = 0
  for (const ref of followers.values()) {
    const source = await hub.get<GitRepository>(ref)
    if (!source || isSuspended(source) || contentIdOf(source.status?.artifact?.revision) === commit) continue
    await requestReconciliation(ports, ref, { user, announced: announcedVersionFor(source, contents) })
    triggered++
  }
  log.info('push to a repository', { address, version, commit, triggered })
  return triggered
}
