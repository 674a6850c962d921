import { corrupt } from './git-error.ts'
import { formatOf, type GitObject, type GitObjects, isObjectId, type ObjectType, objectIdBytes } from './git-object.ts'

export interface Commit {
  readonly id: string
  readonly tree: string
  /** The first one; undefined of a first commit. */
  readonly parent: string | undefined
  /** Commit time (not author time), in seconds since the epoch. */
  readonly time: number
  /** `Name <address>` */
  readonly committer: string
  readonly message: string
}

export interface TreeEntry {
  /** Octal, as git writes it: 0o40000 folder, 0o100644, 0o100755, 0o120000 link, 0o160000 submodule. */
  readonly mode: number
  readonly name: string
  readonly id: string
}

const objectOf = (objects: GitObjects, id: string, type: ObjectType): GitObject => {
  const object = objects.get(id)
  if (!object) throw corrupt(`${type} ${id} is missing from the pack`)
  if (object.type !== type) throw corrupt(`${id} is a ${object.type}, not a ${type}`)
  return object
}

/** The file with this id. Throws GitError `corrupt` if it is missing or of another type. */
export const blobOf = (objects: GitObjects, id: string): GitObject => objectOf(objects, id, 'blob')

/** Its content. */
export const readBlob = (objects: GitObjects, id: string): Uint8Array => blobOf(objects, id).content

/**
 * The commit with this id. Throws GitError `corrupt` if it is missing or malformed; a commit without a readable time
 * has 0.
 */
export const readCommit = (objects: GitObjects, id: string): Commit => {
  const { header, message } = readHeaders(objectOf(objects, id, 'commit').content)
  const tree = idIn(header('tree'), id)
  const [, committer = '', time] = /^(.*) ([0-9]+) [+-][0-9]{4}$/.exec(header('committer') ?? '') ?? []
  return { id, tree, parent: header('parent'), time: Number(time ?? 0), committer, message }
}

/** Follows a tag, and tags of tags, to the commit. */
export const peel = (objects: GitObjects, id: string): string => {
  let target = id
  for (let depth = 0; depth < 10; depth++) {
    const object = objects.get(target)
    if (object?.type !== 'tag') return target
    target = idIn(readHeaders(object.content).header('object'), target)
  }
  throw corrupt(`${id} is a tag nested too deeply in other tags`)
}

const readHeaders = (content: Uint8Array) => {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('utf8')
  const end = text.indexOf('\n\n')
  const lines = (end < 0 ? text : text.slice(0, end)).split('\n')
  const header = (name: string) => lines.find(line => line.startsWith(`${name} `))?.slice(name.length + 1)
  return { header, message: end < 0 ? '' : text.slice(end + 2) }
}

const idIn = (text: string | undefined, owner: string): string => {
  if (!text || !isObjectId(text)) throw corrupt(`object ${owner} is malformed`)
  return text
}

/** An entry, and where its id lies in the content of the tree. */
export type PlacedEntry = TreeEntry & { readonly idAt: number }

/** The folder with this id, encoded. Throws GitError `corrupt` if it is missing or of another type. */
export const treeOf = (objects: GitObjects, id: string): GitObject => objectOf(objects, id, 'tree')

/** The entries of a folder, in git's order. Decodes names as UTF-8; invalid bytes become U+FFFD. */
export function* readTree(objects: GitObjects, id: string): Generator<PlacedEntry, undefined> {
  const { buffer, byteOffset, length } = treeOf(objects, id).content
  const content = Buffer.from(buffer, byteOffset, length)
  const idBytes = objectIdBytes[formatOf(id)]
  for (let at = 0; at < length; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    const mode = space < 0 ? '' : content.toString('latin1', at, space)
    const idAt = end + 1
    if (end < 0 || idAt + idBytes > length || !/^[0-7]{5,6}$/.test(mode)) throw corrupt(`tree ${id} is malformed`)
    at = idAt + idBytes
    yield {
      mode: Number.parseInt(mode, 8),
      name: content.toString('utf8', space + 1, end),
      id: content.toString('hex', idAt, at),
      idAt,
    }
  }
}

/** The first line of a commit's message, cut to 50 characters as in Flux. */
export const commitSubject = ({ message }: Commit): string => {
  const characters = [...message.split('\n', 1)[0]!]
  return characters.length > 50 ? `${characters.slice(0, 50).join('')}...` : characters.join('')
}
