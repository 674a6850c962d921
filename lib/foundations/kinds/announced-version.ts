/** The version of a source that an event announced: the commit or digest of a branch or tag. */
import type { KubernetesObject } from './object.ts'

/** Keelson's own annotation: the last such event, for later passes. It is a hint that anyone may have sent: see `isBehind`. */
export const announcedAnnotation = 'keelson.dev/announced'

export interface AnnouncedVersion {
  /** `refs/heads/main`, or the tag of an artifact. */
  readonly version: string
  /** The commit or digest that it refers to now, according to the event. */
  readonly to: string
  /** The commit or digest of the source's artifact when the event arrived; empty if there was none. */
  readonly from: string
  /** When the event arrived, in milliseconds since the epoch. */
  readonly at: number
}

/** A full commit id (except the zeros of a deleted branch), or a digest. */
export const isContentId = (text: string): boolean =>
  /^([0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text)

/** The announcement in an object's annotation; undefined if absent or malformed. */
export const announcedOf = ({ metadata }: Pick<KubernetesObject, 'metadata'>): AnnouncedVersion | undefined => {
  const text = metadata.annotations?.[announcedAnnotation]
  if (!text) return undefined
  try {
    const { version, to, from, at } = JSON.parse(text) as Record<string, unknown>
    if (typeof version !== 'string' || typeof to !== 'string' || typeof from !== 'string' || typeof at !== 'number')
      return undefined
    return isContentId(to) ? { version, to, from, at } : undefined
  } catch {
    return undefined
  }
}

/** The commit or digest at the end of a revision: `main@sha1:<commit>`, `latest@sha256:<digest>`. */
export const contentIdOf = (revision = ''): string => {
  const [, algorithm = '', hex = ''] = /(?:^|@)(sha1|sha256):([0-9a-f]+)$/.exec(revision) ?? []
  return algorithm === 'sha1' ? hex : algorithm && `sha256:${hex}`
}
