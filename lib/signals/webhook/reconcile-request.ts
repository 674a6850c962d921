import { announcedTagsAnnotation, announcedTagsText } from '../../foundations/kinds/announced-tags.ts'
import { type AnnouncedVersion, announcedAnnotation, contentIdOf } from '../../foundations/kinds/announced-version.ts'
import { type DeliveryMark, deliveryAnnotation } from '../../foundations/kinds/delivery-mark.ts'
import { requestedAtAnnotation } from '../../foundations/kinds/flux.ts'
import { followedBy } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Random } from '../../platform/ports/random.ts'

export type Announced = Omit<AnnouncedVersion, 'at'>

/** The new content of the version that a source follows, together with its current content, from an event. */
export const announcedVersionFor = (
  source: KubernetesObject,
  contents: ReadonlyMap<string, string>,
): Announced | undefined => {
  const version = followedBy(source)?.version
  const to = version && contents.get(version)
  if (!to) return undefined
  const { artifact } = (source.status ?? {}) as { readonly artifact?: { readonly revision?: string } }
  return { version, to, from: contentIdOf(artifact?.revision) }
}

export interface RequestPorts {
  readonly hub: Pick<Hub, 'patch'>
  readonly clock: Clock
  readonly random: Random
}

export interface ReconcileRequest {
  readonly user: string
  readonly announced?: Announced | undefined
  /** Tags of an image, as found with this version of the object: fails with the reason Conflict if it has another one. Null for all tags. */
  readonly announcedTags?: { readonly tags: readonly string[]; readonly resourceVersion: string } | null
  readonly mark?: Omit<DeliveryMark, 'requestedAt'> | undefined
}

/**
 * Sets the annotation that triggers a reconcile; `user` is the requester, `announced` the version from an event, `mark`
 * the record of the request, to which the pass adds its outcome.
 */
export const requestReconciliation = async (
  { hub, clock, random }: RequestPorts,
  ref: ObjectRef,
  { user, announced, announcedTags, mark }: ReconcileRequest,
): Promise<void> => {
  const requestedAt = newToken(clock.now(), random)
  const annotations = {
    [requestedAtAnnotation]: requestedAt,
    ...(mark && { [deliveryAnnotation]: JSON.stringify({ ...mark, requestedAt }) }),
    ...(announced && { [announcedAnnotation]: JSON.stringify({ ...announced, at: clock.now() }) }),
    ...(announcedTags !== undefined && {
      [announcedTagsAnnotation]: announcedTags && announcedTagsText(announcedTags.tags, requestedAt),
    }),
  }
  const { resourceVersion } = announcedTags ?? {}
  const patch = { metadata: { annotations, ...(resourceVersion && { resourceVersion }) } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'notification-controller', user })
}

/** A time in RFC 3339 with random digits after the milliseconds, so that any two requests differ. */
const newToken = (now: number, random: Random): string => {
  const digits = String(Math.floor(random.fraction() * 1e6)).padStart(6, '0')
  return new Date(now).toISOString().replace('Z', `${digits}Z`)
}
