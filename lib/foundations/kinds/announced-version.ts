/** What an event said of a source: which commit or digest its branch or tag stands for by now. */
import type { KubernetesObject } from './object.ts'

/** Ours: the last such event, for the passes after it. It is a hint that anybody may have sent: see `isBehind`. */
export const announcedAnnotation = 'keelson.dev/announced'

export interface AnnouncedVersion {
  /** `refs/heads/main`, or the tag of an artifact. */
  readonly version: string
  /** The commit or digest that it stands for now, as the event says. */
  readonly to: string
  /** The commit or digest that the source held when the event came; empty when it held none. */
  readonly from: string
  /** When the event came, in milliseconds since the epoch. */
  readonly at: number
}

/** A whole commit id (but not the zeros that stand for a deleted branch), or a digest. */
export const isContentId = (text: string): boolean =>
  /^([0-9a-f]{40}|[0-9a-f]{64}|sha256:[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text)

/** The announcement in an object's annotation; undefined where there is none, or none that could be one. */
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
