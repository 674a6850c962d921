import { createHash } from 'node:crypto'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  /**
   * Reading it may be expensive: the content of a large object may come from its pack each time. `size` then gives its
   * length.
   */
  readonly content: Uint8Array
  readonly size?: number
}

/** The length of a content, without reading it. */
export const sizeOf = (object: Pick<GitObject, 'content' | 'size'>): number => object.size ?? object.content.length

/** Objects by id. */
export type GitObjects = ReadonlyMap<string, GitObject>

/** The hash that a repository uses for object ids (gitformat: `extensions.objectFormat`). */
export type ObjectFormat = 'sha1' | 'sha256'

export const objectIdBytes: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 }

/** The format of the repository that an object id comes from. */
export const formatOf = (id: string): ObjectFormat => (id.length === 2 * objectIdBytes.sha256 ? 'sha256' : 'sha1')

/** Git's object id: a hash over type, length and content, in hexadecimal digits. */
export const objectId = ({ type, content }: GitObject, format: ObjectFormat = 'sha1'): string =>
  createHash(format).update(`${type} ${content.length}\0`).update(content).digest('hex')

export const isObjectId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
