import type { ImageRepository } from '../../foundations/kinds/image-repository.ts'
import type { OciClient, OciSession } from '../../sources/oci/oci-client.ts'
import { OciError } from '../../sources/oci/oci-error.ts'
import type { ImageAccess } from './load-image-access.ts'
import type { SharedResponse, ShareResponse } from './shared-responses.ts'
import type { TagLists } from './tag-lists.ts'

/** The access of a pass to the registry of an image. */
export interface RegistryAccess {
  readonly access: ImageAccess
  readonly share: ShareResponse
  readonly oci: Pick<OciClient, 'open'>
  readonly signal: AbortSignal
  /** When the object was read, in milliseconds since the epoch. */
  readonly readAt: number
}

/** How old the response to another object may be, in milliseconds: passes of one moment, such as those of a visit, share it. */
const moment = 10_000

/** All tags, as listed lately, maybe for another object, or now. */
export const listTags = (
  { access, share, oci, signal, readAt }: RegistryAccess,
  when: 'lately' | 'now',
): Promise<SharedResponse<readonly string[]>> =>
  share<readonly string[]>({
    ...{ access, signal, about: 'tags', since: when === 'now' ? readAt + 1 : readAt - moment },
    send: () => within(oci.open({ ...access, signal }), session => session.tags()),
    sizeOf: list => list.length,
  })

/**
 * The stored list with the announced tags that the registry has, which takes no request for those that are in it already. Undefined if the registry
 * lacks one: then only a list of all is sure.
 */
export const withAnnounced = async (
  object: ImageRepository,
  announced: readonly string[],
  { access, share, oci, signal, tags, readAt }: RegistryAccess & { readonly tags: Pick<TagLists, 'all' | 'store'> },
): Promise<readonly string[] | undefined> => {
  const all = await tags.all(object)
  const added = announced.filter(tag => !all.includes(tag))
  for (const tag of added) {
    const { value: exists } = await share({
      ...{ access, signal, about: `tag ${tag}`, since: readAt - moment },
      send: () => within(oci.open({ ...access, signal }), session => hasTag(session, tag)),
      sizeOf: () => 1,
    }).catch(unlessRefused)
    if (!exists) return undefined
  }
  const list = [...all, ...added]
  if (added.length > 0) await tags.store(object, list)
  return list
}

/** The list that follows reports it. */
const unlessRefused = (error: unknown) => {
  if (!(error instanceof OciError)) throw error
  return { value: false }
}

const hasTag = async (session: OciSession, tag: string): Promise<boolean> => {
  try {
    return Boolean(await session.resolve(tag))
  } catch (error) {
    if (error instanceof OciError && error.code === 'notFound') return false
    throw error
  }
}

const within = async <T>(session: OciSession, use: (session: OciSession) => Promise<T>): Promise<T> => {
  try {
    return await use(session)
  } finally {
    await session.close()
  }
}
