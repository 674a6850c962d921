import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parsePattern } from '../../../lib/engines/ignore/pattern.ts'
import {
  defaultPatterns,
  type Ignores,
  ignoring,
  readPatterns,
  versionControlPatterns,
} from '../../../lib/engines/ignore/source-ignore.ts'
import { jsonLines } from '../json-lines.ts'
import { type ConformanceSuite, difference } from '../suite.ts'

/** Recorded from fluxcd/pkg/sourceignore 0.19. */
interface Case {
  readonly id: string
  /** Ignore files by the folder that they are in. */
  readonly sourceignore: Readonly<Record<string, string>>
  readonly ignored: readonly string[]
  readonly ignoredWithDefaults: readonly string[]
  readonly ignoredDirs: readonly string[]
}
interface PatternCase {
  readonly pattern: string
  readonly domain: readonly string[] | null
  readonly path: readonly string[]
  readonly isDir: boolean
  readonly result: 'exclude' | 'include' | 'nomatch'
}

export const suite: ConformanceSuite = {
  folder: 'sourceignore',
  *cases(directory) {
    const { files } = JSON.parse(readFileSync(join(directory, 'files.json'), 'utf8')) as { files: string[] }
    const cases = jsonLines<Case>(join(directory, 'cases.jsonl'))
    // Which folders were looked at is only seen from those that some case ignores.
    const folders = [...new Set(cases.flatMap(({ ignoredDirs }) => ignoredDirs))]
    for (const { id, sourceignore, ignored, ignoredWithDefaults, ignoredDirs } of cases) {
      const patterns = () =>
        Object.keys(sourceignore)
          .sort()
          .flatMap(folder => readPatterns(sourceignore[folder]!, namesOf(folder)))
      const alone = () => ignoring(patterns())
      const withDefaults = () => ignoring([...versionControlPatterns, ...defaultPatterns, ...patterns()])
      yield () => ({ name: id, problem: compare(files, alone(), false, ignored) })
      yield () => ({ name: `${id} with defaults`, problem: compare(files, withDefaults(), false, ignoredWithDefaults) })
      yield () => ({ name: `${id} folders`, problem: compare(folders, withDefaults(), true, ignoredDirs) })
    }
  },
  parts: [
    function* patterns(directory) {
      const recorded = jsonLines<PatternCase>(join(directory, 'upstream-patterns.jsonl'))
      for (const { pattern, domain, path, isDir, result } of recorded)
        yield () => {
          const parsed = parsePattern(pattern, domain ?? [])
          const actual = parsed.matches(path, isDir) ? parsed.verdict : 'nomatch'
          return { name: `${pattern} in ${domain ?? ''} of ${path.join('/')}`, problem: difference(actual, result) }
        }
    },
  ],
}

const namesOf = (path: string): string[] => path.split('/').filter(name => name !== '')

const compare = (paths: readonly string[], ignores: Ignores, isFolder: boolean, expected: readonly string[]) => {
  const actual = paths.filter(path => ignores(path.split('/'), isFolder))
  return difference(actual.sort().join('\n'), [...expected].sort().join('\n'))
}
