import { compileGlobs } from './glob.ts'
import { type Pattern, parsePattern } from './pattern.ts'

export const ignoreFile = '.sourceignore'

const versionControl = '.git/,.gitignore,.gitmodules,.gitattributes'
const defaults = [
  '*.jpg,*.jpeg,*.gif,*.png,*.wmv,*.flv,*.tar.gz,*.zip',
  '.github/,.circleci/,.travis.yml,.gitlab-ci.yml,appveyor.yml,.drone.yml,cloudbuild.yaml,codeship-services.yml,codeship-steps.yml',
  '**/.goreleaser.yml,**/.sops.yaml,**/.flux.yaml',
]

const parseList = (list: string): Pattern[] => list.split(',').map(pattern => parsePattern(pattern))
export const versionControlPatterns: readonly Pattern[] = parseList(versionControl)
export const defaultPatterns: readonly Pattern[] = defaults.flatMap(parseList)

/** Reads the patterns of an ignore file: one per line, without comments and blank lines. */
export const readPatterns = (text: string, domain: readonly string[] = []): Pattern[] =>
  text
    .split('\n')
    .map(line => line.replace(/\r$/, ''))
    .filter(line => !line.startsWith('#') && line.trim() !== '')
    .map(line => parsePattern(line, domain))

/** Whether a path, given as names, is excluded; the last pattern that matches decides. */
export type Ignores = (path: readonly string[], isDirectory: boolean) => boolean

/** Decides by patterns in the order of their files: as in gitignore, the last one that matches counts. */
export const ignoring = (patterns: readonly Pattern[]): Ignores => {
  // In most sources, hardly any path can match a pattern.
  const matches = compileGlobs(patterns.flatMap(({ globs }) => globs))
  return (path, isDirectory) =>
    path.some(matches) && patterns.findLast(pattern => pattern.matches(path, isDirectory))?.verdict === 'exclude'
}

/**
 * Excludes what Flux excludes from a source's artifact: version control files always; the default exclusions only if the user has no
 * patterns, neither in an ignore file nor in `spec.ignore`.
 */
export const sourceIgnore = (patterns: readonly Pattern[]): Ignores =>
  ignoring([...versionControlPatterns, ...(patterns.length > 0 ? patterns : defaultPatterns)])
