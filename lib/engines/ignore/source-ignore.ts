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

/** The patterns of an ignore file: one a line, without comments and blank lines. */
export const readPatterns = (text: string, domain: readonly string[] = []): Pattern[] =>
  text
    .split('\n')
    .map(line => line.replace(/\r$/, ''))
    .filter(line => !line.startsWith('#') && line.trim() !== '')
    .map(line => parsePattern(line, domain))

/** Whether a path, given by its names, is left out; the last pattern that matches it decides. */
export type Ignores = (path: readonly string[], isDirectory: boolean) => boolean

export const ignoring = (patterns: readonly Pattern[]): Ignores => {
  // Of the paths of most sources there is hardly one that any pattern means.
  const isMeant = compileGlobs(patterns.flatMap(({ globs }) => globs))
  return (path, isDirectory) =>
    path.some(isMeant) && patterns.findLast(pattern => pattern.matches(path, isDirectory))?.verdict === 'exclude'
}

/**
 * What Flux leaves out of a source's artifact. Files of version control always; the default exclusions only when there
 * are no patterns of the user's, neither in an ignore file nor in `spec.ignore`.
 */
export const sourceIgnore = (patterns: readonly Pattern[]): Ignores =>
  ignoring([...versionControlPatterns, ...(patterns.length > 0 ? patterns : defaultPatterns)])
