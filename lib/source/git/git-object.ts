import { createHash } from 'node:crypto'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  readonly type: ObjectType
  readonly content: Uint8Array
}

/** Objects by their id. */
export type GitObjects = ReadonlyMap<string, GitObject>

/** Git's name of an object: SHA-1 over its type, length and content, in hexadecimal digits. */
export const idOf = ({ type, content }: GitObject): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')

export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)
