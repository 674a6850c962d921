import { compareBytes } from '../../foundations/go/compare-text.ts'

/** A file of a source or of an artifact. */
export interface StagedFile {
  readonly content: Uint8Array
  readonly executable: boolean
}

/** Files by relative slash path, without `.` and `..`. Folders exist only if they contain a file. */
export type Files = ReadonlyMap<string, StagedFile>

/** A path and its parts. */
export interface Entry {
  readonly path: string
  readonly parts: readonly string[]
  readonly isFolder: boolean
}

/** All files and folders, each folder before what is in it, names in the order of bytes, as Go walks a folder. */
export const entriesOf = (files: Files): readonly Entry[] => {
  const folders = new Set<string>()
  for (const path of files.keys()) {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  const entry = (isFolder: boolean) => (path: string) => ({ path, parts: path.split('/'), isFolder })
  return [...[...folders].map(entry(true)), ...[...files.keys()].map(entry(false))].sort(byParts)
}

const byParts = ({ parts: a }: Entry, { parts: b }: Entry): number => {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const order = compareBytes(a[at]!, b[at]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** path.Clean for a relative or absolute slash path. */
export const cleanPath = (path: string): string => {
  const isAbsolute = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!isAbsolute) parts.push(part)
  }
  return (isAbsolute ? '/' : '') + parts.join('/') || '.'
}

/** path.Join. */
export const joinPath = (...paths: readonly string[]): string => {
  const joined = paths.filter(path => path !== '').join('/')
  return joined === '' ? '' : cleanPath(joined)
}

/** What is behind the last slash; the path must not end in one. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The path, cleaned. Fails with Go's message if it leads out of its root; `call` is the system call that Go names. */
export const requireInside = (path: string, call: string): string => {
  const clean = cleanPath(path)
  if (clean.startsWith('/') || clean === '..' || clean.startsWith('../'))
    throw new Error(`${call} ${path}: path escapes from parent`)
  return clean
}
