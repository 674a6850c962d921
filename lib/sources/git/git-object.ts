import { createHash } from 'node:crypto'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  /** Of a large one it may be read anew each time, from its pack: then `size` tells its length without. */
  readonly content: Uint8Array
  readonly size?: number
}

/** The length of a content, which is not read for it. */
export const sizeOf = (object: Pick<GitObject, 'content' | 'size'>): number => object.size ?? object.content.length

/** Objects by their id. */
export type GitObjects = ReadonlyMap<string, GitObject>

/** What a repository names its objects by: all of them by the same (gitformat: `extensions.objectFormat`). */
export type ObjectFormat = 'sha1' | 'sha256'

export const bytesOfId: Readonly<Record<ObjectFormat, number>> = { sha1: 20, sha256: 32 }

/** Of the repository that an object's name is from. */
export const formatOf = (id: string): ObjectFormat => (id.length === 2 * bytesOfId.sha256 ? 'sha256' : 'sha1')

/** Git's name of an object: a hash over its type, length and content, in hexadecimal digits. */
export const idOf = ({ type, content }: GitObject, format: ObjectFormat = 'sha1'): string =>
  createHash(format).update(`${type} ${content.length}\0`).update(content).digest('hex')

export const isObjectId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
