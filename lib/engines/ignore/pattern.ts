import { compileGlob, type NameMatcher } from './glob.ts'

/** One line of an ignore file, as Flux's fork of go-git's gitignore reads it, which differs from git in places. */
export interface Pattern {
  /** What a match means; the last pattern that matches a path decides. */
  readonly verdict: 'exclude' | 'include'
  /** Globs: a path can only match if one of its names matches one of them. */
  readonly globs: readonly string[]
  matches(path: readonly string[], isDirectory: boolean): boolean
}

/** `domain` is the folder of the ignore file: the pattern applies only below it. */
export const parsePattern = (line: string, domain: readonly string[] = []): Pattern => {
  const negated = line.startsWith('!')
  let text = negated ? line.slice(1) : line
  if (!text.endsWith('\\ ')) text = text.replace(/(?<! ) +$/, '')
  const directoryOnly = text.endsWith('/')
  if (directoryOnly) text = text.slice(0, -1)
  const steps = text.includes('/') ? stepsOf(text.split('/')) : undefined
  const matchesBelow = steps ? pathMatcher(steps, directoryOnly) : nameMatcher(text, directoryOnly)
  return {
    verdict: negated ? 'include' : 'exclude',
    globs: steps ? steps.map(({ glob }) => glob) : [text],
    matches: (path, isDirectory) =>
      domain.every((name, depth) => path[depth] === name) && matchesBelow(path, domain.length, isDirectory),
  }
}

type PathMatcher = (path: readonly string[], start: number, isDirectory: boolean) => boolean

/** A pattern without a slash matches at every depth, and so does everything below a matching folder. */
const nameMatcher = (pattern: string, directoryOnly: boolean): PathMatcher => {
  const matchesName = compileGlob(pattern)
  return (path, start, isDirectory) => {
    for (let depth = start; depth < path.length; depth++) {
      if (!matchesName(path[depth]!)) continue
      return !directoryOnly || isDirectory || depth < path.length - 1
    }
    return false
  }
}

/** Matches the next name of a path, for a pattern with slashes. */
interface Step {
  readonly glob: string
  readonly matchesName: NameMatcher
  /** Preceded by `**`: any number of folders may come before. Takes the first name that matches, without backtracking. */
  readonly anyDepth: boolean
}

/** A pattern with slashes starts at its domain; everything below a match matches too. */
const pathMatcher = (steps: readonly Step[], directoryOnly: boolean): PathMatcher => {
  const mixesStars = steps.some(({ glob }) => glob.includes('**'))
  if (steps.length === 0 || mixesStars) return () => false
  return (path, start, isDirectory) => {
    let depth = start
    for (const { matchesName, anyDepth } of steps) {
      if (anyDepth) while (depth < path.length && !matchesName(path[depth]!)) depth++
      if (depth === path.length || !matchesName(path[depth]!)) return false
      depth++
    }
    return !directoryOnly || isDirectory || depth < path.length
  }
}

const stepsOf = (segments: readonly string[]): readonly Step[] => {
  const steps: Step[] = []
  let anyDepth = false
  for (const segment of segments) {
    if (segment !== '' && segment !== '**') steps.push({ glob: segment, matchesName: compileGlob(segment), anyDepth })
    anyDepth = segment === '**'
  }
  return steps
}
