import type { SourceFile, SourceTree } from '../artifact/source-tree.ts'
import { corrupt, tooLarge } from './git-error.ts'
import { type GitObject, type GitObjects, sizeOf } from './git-object.ts'
import { blobOf, readBlob, readTree } from './read-object.ts'

export interface WorktreeLimits {
  /** Files and folders. */
  readonly maxEntries: number
  /** Bytes of all files: a tree may contain one small object a million times. */
  readonly maxBytes: number
  readonly maxDepth: number
}

const isFolder = (mode: number) => (mode & 0o170000) === 0o040000
const isFile = (mode: number) => (mode & 0o170000) === 0o100000
const isSubmodule = (mode: number) => (mode & 0o170000) === 0o160000

export interface Worktree {
  readonly files: SourceTree
  /** The commits of submodules, by folder. */
  readonly submodules: ReadonlyMap<string, string>
}

/**
 * The files of a tree. Skips links, as source-controller does in artifacts; with `prefixes`, also every file whose
 * path begins with none of them. Fails with GitError `corrupt` or `tooLarge`.
 */
export const checkout = (
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  prefixes?: readonly string[],
): Worktree => {
  const files = new Map<string, SourceFile>()
  const submodules = new Map<string, string>()
  let bytes = 0
  for (const { path, id, mode } of wantedEntries(objects, tree, limits, prefixes)) {
    if (isSubmodule(mode)) submodules.set(path, id)
    else {
      const blob = blobOf(objects, id)
      bytes += sizeOf(blob)
      if (bytes > limits.maxBytes) throw tooLarge(`the files are larger than ${limits.maxBytes} bytes`)
      files.set(path, fileOf(blob, (mode & 0o111) !== 0))
    }
  }
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
export const wantedBlobs = (
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  prefixes: readonly string[],
): readonly string[] => {
  const ids = new Set<string>()
  for (const { id, mode } of wantedEntries(objects, tree, limits, prefixes)) if (isFile(mode)) ids.add(id)
  const modules = rootEntry(objects, tree, '.gitmodules')
  if (modules) ids.add(modules.id)
  return [...ids]
}

interface WantedEntry {
  readonly path: string
  readonly id: string
  readonly mode: number
}

function* wantedEntries(
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  prefixes?: readonly string[],
): Generator<WantedEntry> {
  let entries = 0
  const wants = (path: string) => !prefixes || prefixes.some(prefix => path.startsWith(prefix))
  const mayHold = (folder: string) =>
    !prefixes || prefixes.some(prefix => prefix.startsWith(folder) || folder.startsWith(prefix))

  function* walk(id: string, folder: string, depth: number): Generator<WantedEntry> {
    if (depth > limits.maxDepth) throw tooLarge(`${folder} is nested deeper than ${limits.maxDepth} folders`)
    const names = new Set<string>()
    for (const entry of readTree(objects, id)) {
      const path = folder + entry.name
      requireHarmless(entry.name, path)
      if (names.has(entry.name)) throw corrupt(`the repository contains ${path} twice`)
      names.add(entry.name)
      if (++entries > limits.maxEntries) throw tooLarge(`the repository has more than ${limits.maxEntries} files`)
      const { mode } = entry
      if (isFolder(mode)) {
        if (mayHold(`${path}/`)) yield* walk(entry.id, `${path}/`, depth + 1)
      } else if (isSubmodule(mode) ? mayHold(`${path}/`) : isFile(mode) && wants(path)) {
        yield { path, id: entry.id, mode }
      }
    }
  }
  yield* walk(tree, '', 0)
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
