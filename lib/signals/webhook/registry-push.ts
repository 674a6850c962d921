import { isContentId } from '../../foundations/kinds/announced-version.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { announcedVersionFor, requestReconciliation } from './targets.ts'

/** A push reported by a registry itself, without a Receiver. */
export interface RegistryPush {
  /** `123456789012.dkr.ecr.eu-west-1.amazonaws.com` */
  readonly registry: string
  readonly repository: string
  /** Absent for a push by digest. */
  readonly tag?: string
  /** The new digest of the tag. */
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
 * Triggers the OCIRepositories that follow the pushed tag: those with the same repository, and with the same tag unless
 * they use semver or `latest`. Returns their number; fails if one could not be triggered.
 */
export const reconcileFollowers = async (ports: RegistryPushPorts, push: RegistryPush): Promise<number> => {
  const { tag, digest } = push
  const contents = new Map(tag && digest && isContentId(digest) ? [[tag, digest]] : [])
  let triggered = 0
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const query = { group: 'source.toolkit.fluxcd.io', kind: 'OCIRepository', limit: page, continue: next }
    const { items, continue: more } = await ports.hub.list<OciRepository>(query)
    const followers = items.filter(object => !isSuspended(object) && follows(object, push))
    for (const follower of followers) {
      const announced = announcedVersionFor(follower, contents)
      await requestReconciliation(ports, refOf(follower), { user: 'a push to the registry', announced })
    }
    triggered += followers.length
    next = more
  }
  ports.log.info('registry push received', { ...push, triggered })
  return triggered
}

const follows = ({ spec }: OciRepository, { registry, repository, tag }: RegistryPush): boolean => {
  if (spec.url.toLowerCase() !== `oci://${registry}/${repository}`.toLowerCase()) return false
  const { digest, semver, tag: wanted = 'latest' } = spec.ref ?? {}
  if (digest) return false
  return semver !== undefined || tag === undefined || tag === wanted
}
