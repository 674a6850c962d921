import type { SourceFile, SourceTree } from '../artifact/source-tree.ts'
import { corrupt, tooLarge } from './git-error.ts'
import type { GitObjects } from './git-object.ts'
import { readBlob, readTree } from './read-object.ts'

export interface WorktreeLimits {
  /** Files and folders. */
  readonly maxEntries: number
  /** Bytes of all files: one small object may stand in a tree a million times. */
  readonly maxBytes: number
  readonly maxDepth: number
}

const isFolder = (mode: number) => (mode & 0o170000) === 0o040000
const isFile = (mode: number) => (mode & 0o170000) === 0o100000
const isSubmodule = (mode: number) => (mode & 0o170000) === 0o160000

export interface Worktree {
  readonly files: SourceTree
  /** The commits of submodules, by their folders. */
  readonly submodules: ReadonlyMap<string, string>
}

/**
 * The files below a tree. Links are left out, as source-controller leaves them out of artifacts; with
 * `prefixes`, so is every file whose path begins with none of them. Fails with GitError `corrupt` or `tooLarge`.
 */
export const checkOut = (
  objects: GitObjects,
  tree: string,
  limits: WorktreeLimits,
  prefixes?: readonly string[],
): Worktree => {
  const files = new Map<string, SourceFile>()
  const submodules = new Map<string, string>()
  let entries = 0
  let bytes = 0

  const wants = (path: string) => !prefixes || prefixes.some(prefix => path.startsWith(prefix))
  const mayHold = (folder: string) =>
    !prefixes || prefixes.some(prefix => prefix.startsWith(folder) || folder.startsWith(prefix))

  const visit = (id: string, folder: string, depth: number): void => {
    if (depth > limits.maxDepth) throw tooLarge(`${folder} is nested deeper than ${limits.maxDepth} folders`)
    const names = new Set<string>()
    for (const entry of readTree(objects, id)) {
      const path = folder + entry.name
      requireHarmless(entry.name, path)
      if (names.has(entry.name)) throw corrupt(`the repository holds ${path} twice`)
      names.add(entry.name)
      if (++entries > limits.maxEntries) throw tooLarge(`the repository holds more than ${limits.maxEntries} files`)
      if (isFolder(entry.mode)) {
        if (mayHold(`${path}/`)) visit(entry.id, `${path}/`, depth + 1)
      } else if (isSubmodule(entry.mode)) {
        if (mayHold(`${path}/`)) submodules.set(path, entry.id)
      } else if (isFile(entry.mode) && wants(path)) {
        const content = readBlob(objects, entry.id)
        bytes += content.length
        if (bytes > limits.maxBytes) throw tooLarge(`the files take more than ${limits.maxBytes} bytes`)
        files.set(path, { content, executable: (entry.mode & 0o111) !== 0 })
      }
    }
  }
  visit(tree, '', 0)
  return { files, submodules }
}

/** A file in the root of a tree; undefined when there is none. */
export const rootFile = (objects: GitObjects, tree: string, name: string): Uint8Array | undefined => {
  const entry = readTree(objects, tree).find(each => each.name === name && isFile(each.mode))
  return entry && readBlob(objects, entry.id)
}

/** Git itself refuses such names when it writes a tree; who sends them means no good. */
const requireHarmless = (name: string, path: string): void => {
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name) || name.toLowerCase() === '.git') {
    throw corrupt(`the repository holds a file with the forbidden name ${JSON.stringify(path)}`)
  }
}
