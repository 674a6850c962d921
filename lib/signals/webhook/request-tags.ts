import { announcedTagsOf, isTag, maxAnnouncedTags } from '../../foundations/kinds/announced-tags.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { type ImageRepository, imageRepository } from '../../foundations/kinds/image-repository.ts'
import { groupOf, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import { ApiError, type Hub } from '../../hub/store/hub.ts'
import type { Push } from './push.ts'
import { type ReconcileRequest, type RequestPorts, requestReconciliation } from './reconcile-request.ts'

/** What a push says about an ImageRepository; undefined for other kinds, and if it names no tags of its image. */
export const pushedTags = (
  object: KubernetesObject,
  { repositories, versions }: Push,
): { readonly of: ImageRepository; readonly pushed: readonly string[] } | undefined => {
  const { group, kind } = imageRepository
  if (object.kind !== kind || groupOf(object.apiVersion) !== group) return undefined
  const of = object as ImageRepository
  const { canonicalImageName } = of.status ?? {}
  const isOfImage = canonicalImageName !== undefined && repositories.has(repositoryAddress(canonicalImageName))
  return isOfImage && versions.length > 0 ? { of, pushed: versions } : undefined
}

/** How often an object that others write to is read again. */
const attempts = 3

/**
 * Triggers an ImageRepository for tags that were pushed. Tags of a request that no pass has handled yet stay announced; if that request was for all
 * tags, so is this one.
 */
export const requestTags = async (
  ports: Omit<RequestPorts, 'hub'> & { readonly hub: Pick<Hub, 'get' | 'patch'> },
  repository: ImageRepository,
  tags: readonly string[],
  request: Omit<ReconcileRequest, 'announced' | 'announcedTags'>,
): Promise<void> => {
  const ref = refOf(repository)
  let current: ImageRepository | undefined = repository
  for (let attempt = 0; attempt < attempts && current; attempt++) {
    const all = allTags(current, tags)
    if (!all) break
    const announcedTags = { tags: all, resourceVersion: current.metadata.resourceVersion! }
    try {
      return await requestReconciliation(ports, ref, { ...request, announcedTags })
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'Conflict')) throw error
      current = await ports.hub.get<ImageRepository>(ref)
    }
  }
  await requestReconciliation(ports, ref, { ...request, announcedTags: null })
}

/** Undefined if a list of all tags is needed. */
const allTags = (repository: ImageRepository, tags: readonly string[]): readonly string[] | undefined => {
  const open = isReconcileRequested(repository) ? announcedTagsOf(repository) : []
  const all = open && [...new Set([...open, ...tags])]
  return all && all.length > 0 && all.length <= maxAnnouncedTags && all.every(isTag) ? all : undefined
}
