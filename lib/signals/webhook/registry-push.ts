import { isContentId } from '../../foundations/kinds/announced-version.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { announcedTo, requestReconciliation } from './targets.ts'

/** Something was pushed to a registry that tells us itself, without a Receiver in between. */
export interface RegistryPush {
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com` */
  readonly registry: string
  readonly repository: string
  /** Absent when it was pushed by digest only. */
  readonly tag?: string
  /** What the tag stands for now. */
  readonly digest?: string
}

interface RegistryPushPorts {
  readonly hub: Pick<Hub, 'list' | 'patch'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const page = 500

/**
 * Asks the OCIRepositories to reconcile that follow what was pushed: the same repository, and unless they choose by semver or
 * take `latest`, the same tag. Returns how many; fails when one could not be asked.
 */
export const reconcileFollowers = async (ports: RegistryPushPorts, push: RegistryPush): Promise<number> => {
  const { tag, digest } = push
  const contents = new Map(tag && digest && isContentId(digest) ? [[tag, digest]] : [])
  let asked = 0
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const query = { group: 'source.toolkit.fluxcd.io', kind: 'OCIRepository', limit: page, continue: next }
    const { items, continue: more } = await ports.hub.list<OciRepository>(query)
    const followers = items.filter(object => !isSuspended(object) && follows(object, push))
    for (const follower of followers) {
      const announced = announcedTo(follower, contents)
      await requestReconciliation(ports, refOf(follower), { user: 'a push to the registry', announced })
    }
    asked += followers.length
    next = more
  }
  ports.log.info('registry push received', { ...push, asked })
  return asked
}

const follows = ({ spec }: OciRepository, { registry, repository, tag }: RegistryPush): boolean => {
  if (spec.url.toLowerCase() !== `oci://${registry}/${repository}`.toLowerCase()) return false
  const { digest, semver, tag: wanted = 'latest' } = spec.ref ?? {}
  if (digest) return false
  return semver !== undefined || tag === undefined || tag === wanted
}
