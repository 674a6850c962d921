/** The tags of an image that events of its registry announced, for the pass that these have triggered. */
import { isReconcileRequested, requestedAtOf } from './flux.ts'
import type { KubernetesObject } from './object.ts'

/** Keelson's own annotation, set together with the request to reconcile. A hint that anyone may have sent: the registry must confirm each tag. */
export const announcedTagsAnnotation = 'keelson.dev/announced-tags'

/** Of one request: for more, a list of all tags costs less. */
export const maxAnnouncedTags = 10

/** A tag, as the distribution specification has it: it is safe as a part of a path. */
export const isTag = (text: unknown): text is string =>
  typeof text === 'string' && /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(text)

/**
 * The annotation's value: JSON with the tags, and the request (`requestedAt`) that they belong to, so that a later
 * request without tags doesn't use them.
 */
export const announcedTagsText = (tags: readonly string[], requestedAt: string): string =>
  JSON.stringify({ tags, requestedAt })

/** The tags that the open request of an object is about; undefined if there is none, or if it is not about tags. */
export const announcedTagsOf = (object: KubernetesObject): readonly string[] | undefined => {
  const text = object.metadata.annotations?.[announcedTagsAnnotation]
  if (!text || !isReconcileRequested(object)) return undefined
  try {
    const { tags, requestedAt } = JSON.parse(text) as { readonly tags?: unknown; readonly requestedAt?: unknown }
    const isAbout = requestedAt === requestedAtOf(object) && Array.isArray(tags) && tags.every(isTag)
    return isAbout && tags.length <= maxAnnouncedTags ? tags : undefined
  } catch {
    return undefined
  }
}
