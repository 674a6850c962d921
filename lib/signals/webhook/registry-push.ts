import { isContentId } from '../../foundations/kinds/announced-version.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type ImageRepository, imageRepository } from '../../foundations/kinds/image-repository.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { type OciRepository, ociRepository } from '../../foundations/kinds/oci-repository.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Random } from '../../platform/ports/random.ts'
import { announcedVersionFor, requestReconciliation } from './reconcile-request.ts'
import { requestTags } from './request-tags.ts'

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
  readonly hub: Pick<Hub, 'get' | 'list' | 'patch'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

const page = 500
const user = 'a push to the registry'

/**
 * Triggers the objects that follow the pushed tag: ImageRepositories of the image, and OCIRepositories with the same repository, and with the
 * same tag unless they use semver or `latest`. Returns their number; fails if one could not be triggered.
 */
export const reconcileFollowers = async (ports: RegistryPushPorts, push: RegistryPush): Promise<number> => {
  const { tag, digest } = push
  const contents = new Map(tag && digest && isContentId(digest) ? [[tag, digest]] : [])
  let triggered = 0
  for await (const repository of stored<OciRepository>(ports, ociRepository)) {
    if (isSuspended(repository) || !follows(repository, push)) continue
    const announced = announcedVersionFor(repository, contents)
    await requestReconciliation(ports, refOf(repository), { user, announced })
    triggered++
  }
  for await (const repository of stored<ImageRepository>(ports, imageRepository)) {
    if (isSuspended(repository) || !isOfImage(repository, push)) continue
    if (tag) await requestTags(ports, repository, [tag], { user })
    else await requestReconciliation(ports, refOf(repository), { user })
    triggered++
  }
  ports.log.info('registry push received', { ...push, triggered })
  return triggered
}

async function* stored<T extends KubernetesObject>(
  { hub }: RegistryPushPorts,
  { group, kind }: Pick<Kind, 'group' | 'kind'>,
): AsyncGenerator<T> {
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const { items, continue: more } = await hub.list<T>({ group, kind, limit: page, continue: next })
    yield* items
    next = more
  }
}

/** The names of an image's registry and repository are compared as users wrote them: those of AWS have one form. */
const isOfImage = ({ spec }: ImageRepository, { registry, repository }: RegistryPush): boolean =>
  spec.image.toLowerCase() === `${registry}/${repository}`.toLowerCase()

const follows = ({ spec }: OciRepository, { registry, repository, tag }: RegistryPush): boolean => {
  if (spec.url.toLowerCase() !== `oci://${registry}/${repository}`.toLowerCase()) return false
  const { digest, semver, tag: wanted = 'latest' } = spec.ref ?? {}
  if (digest) return false
  return semver !== undefined || tag === undefined || tag === wanted
}
