import { compileGlob, type NameMatcher } from './glob.ts'

/** One line of an ignore file, as Flux's fork of go-git's gitignore reads it: in places it differs from git itself. */
export interface Pattern {
  /** What the pattern says of a path that it matches; the last pattern that matches a path decides. */
  readonly verdict: 'exclude' | 'include'
  /** Globs: a path of whose names none matches any of them is not matched by the pattern. */
  readonly globs: readonly string[]
  matches(path: readonly string[], isDirectory: boolean): boolean
}

/** `domain` is the folder whose ignore file holds the line: the pattern only sees what lies below it. */
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

/** A pattern without a slash is looked for at every depth; below a folder that matches, everything does. */
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

/** What a pattern with slashes asks of the next part of a path. */
interface Step {
  readonly glob: string
  readonly matchesName: NameMatcher
  /** Preceded by `**`: any number of folders may come before. The first name that fits is taken, for good. */
  readonly anyDepth: boolean
}

/** A pattern with slashes starts at its domain; what lies below a match is matched too. */
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
