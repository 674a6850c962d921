import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SourceFile, SourceTree } from '../artifact/source-tree.ts'
import { corrupt, tooLarge } from './git-error.ts'
import { type GitObject, type GitObjects, sizeOf } from './git-object.ts'
import { blobOf, readBlob, readTree } from './read-object.ts'

export interface WorktreeLimits {
  /** Files that are checked out. */
  readonly maxFiles: number
  /** Files and folders of the repository, also those that are not checked out: they only take time. */
  readonly maxEntries: number
  /** Bytes of all files: a tree may contain one small object a million times. */
  readonly maxBytes: number
  readonly maxDepth: number
}

/** Which files are checked out; all without it. */
export interface Selection {
  /** Only those whose paths begin with one of these. */
  readonly prefixes?: readonly string[] | undefined
  /** Only those whose paths it accepts. */
  readonly accepts?: ((path: string) => boolean) | undefined
  /** Only those whose content it keeps. Blobs that the objects lack are of files that it has not kept. */
  readonly keeps?: ((content: Uint8Array) => boolean) | undefined
}

const isFolder = (mode: number) => (mode & 0o170000) === 0o040000
const isFile = (mode: number) => (mode & 0o170000) === 0o100000
const isSubmodule = (mode: number) => (mode & 0o170000) === 0o160000

export interface Worktree {
  readonly files: SourceTree
  /** The commits of submodules, by folder. */
  readonly submodules: ReadonlyMap<string, string>
}

/** The files of a tree. Skips links, as source-controller does in artifacts. Fails with GitError `corrupt` or `tooLarge`. */
export const checkout = async (
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  selection: Selection = {},
): Promise<Worktree> => {
  const { keeps } = selection
  const files = new Map<string, SourceFile>()
  const submodules = new Map<string, string>()
  let bytes = 0
  await walk(objects, tree, limits, selection, ({ path, id, mode }) => {
    if (isSubmodule(mode)) return void submodules.set(path, id)
    if (keeps && !objects.has(id)) return
    const blob = blobOf(objects, id)
    if (keeps && !keeps(blob.content)) return
    if (files.size === limits.maxFiles) throw tooLarge(`the repository has more than ${limits.maxFiles} files`)
    bytes += sizeOf(blob)
    if (bytes > limits.maxBytes) throw tooLarge(`the files are larger than ${limits.maxBytes} bytes`)
    files.set(path, fileOf(blob, (mode & 0o111) !== 0))
  })
  return { files, submodules }
}

/** A blob that is read on demand stays so. */
const fileOf = (blob: GitObject, executable: boolean): SourceFile =>
  blob.size === undefined
    ? { content: blob.content, executable }
    : {
        get content() {
          return blob.content
        },
        size: blob.size,
        executable,
      }

/** The ids of the blobs that `checkout` reads from a tree, without duplicates, plus `.gitmodules`. */
export const wantedBlobs = async (
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  selection: Selection,
): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  await walk(objects, tree, limits, selection, ({ id, mode }) => {
    if (isFile(mode)) ids.add(id)
  })
  const modules = rootEntry(objects, tree, '.gitmodules')
  if (modules) ids.add(modules.id)
  return ids
}

interface WantedEntry {
  readonly path: string
  readonly id: string
  readonly mode: number
}

/** Entries to read before yielding to the event loop. */
const entriesOfTurn = 10_000

/** Visits the selected files and submodules. */
const walk = async (
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  { prefixes, accepts = () => true }: Selection,
  visit: (entry: WantedEntry) => void,
): Promise<void> => {
  let entries = 0
  const wants = (path: string) => (!prefixes || prefixes.some(prefix => path.startsWith(prefix))) && accepts(path)
  const mayHold = (folder: string) =>
    !prefixes || prefixes.some(prefix => prefix.startsWith(folder) || folder.startsWith(prefix))

  const inFolder = async (id: string, folder: string, depth: number): Promise<void> => {
    if (depth > limits.maxDepth) throw tooLarge(`${folder} is nested deeper than ${limits.maxDepth} folders`)
    const names = new Set<string>()
    for (const entry of readTree(objects, id)) {
      const path = folder + entry.name
      requireHarmless(entry.name, path)
      if (names.has(entry.name)) throw corrupt(`the repository contains ${path} twice`)
      names.add(entry.name)
      if (++entries > limits.maxEntries)
        throw tooLarge(`the repository has more than ${limits.maxEntries} files and folders`)
      if (entries % entriesOfTurn === 0) await nextTurn()
      const { mode } = entry
      if (isFolder(mode)) {
        if (mayHold(`${path}/`)) await inFolder(entry.id, `${path}/`, depth + 1)
      } else if (isSubmodule(mode) ? mayHold(`${path}/`) : isFile(mode) && wants(path)) {
        visit({ path, id: entry.id, mode })
      }
    }
  }
  await inFolder(tree, '', 0)
}

/** Whether a tree has a file or a folder at a path. */
export const hasEntry = (objects: GitObjects, tree: string, path: string): boolean => {
  const [name, ...rest] = path.split('/')
  const entry = readTree(objects, tree).find(each => each.name === name)
  if (!entry || rest.length === 0) return entry !== undefined
  return isFolder(entry.mode) && hasEntry(objects, entry.id, rest.join('/'))
}

/** A file in the root of a tree; undefined if there is none. */
export const rootFile = (objects: GitObjects, tree: string, name: string): Uint8Array | undefined => {
  const entry = rootEntry(objects, tree, name)
  return entry && readBlob(objects, entry.id)
}

const rootEntry = (objects: GitObjects, tree: string, name: string) =>
  readTree(objects, tree).find(each => each.name === name && isFile(each.mode))

/** Git refuses to write such names into a tree: only an attacker's repository has them. */
const requireHarmless = (name: string, path: string): void => {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || name.toLowerCase() === '.git') {
    throw corrupt(`the repository contains a file with the forbidden name ${JSON.stringify(path)}`)
  }
}
