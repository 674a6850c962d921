import { compileGlob } from '../../engines/ignore/glob.ts'
import { InvalidChart } from './invalid-chart.ts'

/** Whether .helmignore excludes a path in a chart's folder. */
export type HelmIgnores = (path: string, isDirectory: boolean) => boolean

interface Rule {
  readonly negated: boolean
  readonly onlyDirectories: boolean
  matches(path: string): boolean
}

/**
 * Reads .helmignore, whose rules differ from .gitignore's; hidden templates are always excluded. Fails with InvalidChart.
 */
export const readHelmignore = (content = ''): HelmIgnores => {
  const rules = [...content.split('\n'), 'templates/.?*'].flatMap(line => parseRule(line.trim()))
  return (path, isDirectory) => {
    for (const { negated, onlyDirectories, matches } of rules) {
      // As in Helm, a negated rule excludes everything that it does not match.
      if (negated) {
        if ((onlyDirectories && !isDirectory) || !matches(path)) return true
      } else if ((!onlyDirectories || isDirectory) && matches(path)) return true
    }
    return false
  }
}

const parseRule = (line: string): Rule[] => {
  if (line === '' || line.startsWith('#')) return []
  if (line.includes('**')) throw new InvalidChart('double-star (**) syntax is not supported')
  const negated = line.startsWith('!')
  const pattern = negated ? line.slice(1) : line
  const onlyDirectories = pattern.endsWith('/')
  return [{ negated, onlyDirectories, matches: matcherOf(onlyDirectories ? pattern.slice(0, -1) : pattern) }]
}

/** Patterns with a slash match whole paths, others match names at any depth. */
const matcherOf = (pattern: string): ((path: string) => boolean) => {
  if (!pattern.includes('/')) {
    const matches = compileGlob(pattern)
    return path => matches(path.slice(path.lastIndexOf('/') + 1))
  }
  const names = pattern.replace(/^\//, '').split('/').map(compileGlob)
  return path => {
    const parts = path.split('/')
    return parts.length === names.length && names.every((matches, index) => matches(parts[index]!))
  }
}
