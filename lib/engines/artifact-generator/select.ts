import { compileGlob, isGlob } from '../ignore/glob.ts'
import { compileDoubleStar, InvalidGlob, type PathMatcher } from './double-star.ts'
import { cleanPath, type Entry } from './files.ts'

/** Whether a path of `from` is a pattern, and not the path of one file or folder. */
export const isPattern = (path: string): boolean => /[*?[\]]/.test(path)

/** io/fs.Glob: each part of the pattern matches one part of the path, `**` no more than `*`. Fails with InvalidGlob. */
const compileFsGlob = (pattern: string): PathMatcher => {
  // A leading `./` is the root; `.` in any other place, and a path that is not clean, matches nothing.
  const names = pattern.replace(/^\.\/(?=[^/]+$)/, '').split('/')
  if (!names.every(isGlob)) throw new InvalidGlob()
  const matchers = names.map(compileGlob)
  return parts => parts.length === matchers.length && matchers.every((matches, at) => matches(parts[at]!))
}

/** The literal folder that a pattern begins with; `.` without one. */
export const selectionRoot = (pattern: string): string => {
  const parts = cleanPath(pattern).split('/')
  const end = parts.findIndex(isPattern)
  return (end < 0 ? parts : parts.slice(0, end)).join('/') || '.'
}

/** Whether an operation excludes a path, with the folder its `from` begins with. */
export type Excludes = (path: string, base: string) => boolean

/**
 * Patterns match the path from the root of the source, the path from the folder that `from` begins with, or, without a slash, the name
 * at any depth. Fails with the message of source-watcher.
 */
export const compileExcludes = (patterns: readonly string[] = []): Excludes => {
  const matchers = patterns.map(pattern => ({ matches: compiled(pattern), isName: !pattern.includes('/') }))
  const excludes = (path: string) => {
    const parts = path.split('/')
    return matchers.some(({ matches, isName }) => matches(parts) || (isName && matches(parts.slice(-1))))
  }
  return (path, base) =>
    matchers.length > 0 &&
    (excludes(path) || (base !== '.' && path.startsWith(`${base}/`) && excludes(path.slice(base.length + 1))))
}

const compiled = (pattern: string): PathMatcher => {
  try {
    return compileDoubleStar(pattern)
  } catch (error) {
    if (!(error instanceof InvalidGlob)) throw error
    throw new Error(`invalid exclude pattern '${pattern}'`, { cause: error })
  }
}

/** The files and folders that a pattern selects, in the order of Go. */
export const selectEntries = (entries: readonly Entry[], pattern: string, strategy: string | undefined) => {
  try {
    const matches = strategy === 'Extract' ? compileDoubleStar(pattern) : compileFsGlob(pattern)
    return entries.filter(({ parts }) => matches(parts))
  } catch (error) {
    if (!(error instanceof InvalidGlob)) throw error
    throw new Error(`invalid glob pattern '${pattern}': ${error.message}`, { cause: error })
  }
}
