import { errorMessage } from '../../foundations/rules/error-message.ts'
import {
  baseName,
  cleanPath,
  type Entry,
  entriesOf,
  type Files,
  joinPath,
  requireInside,
  type StagedFile,
} from './files.ts'
import { mergeYaml } from './merge-yaml.ts'
import { compileExcludes, type Excludes, isPattern, selectEntries, selectionRoot } from './select.ts'
import { createStaging, type StageLimits, type Staging } from './stage.ts'

/** An item of `spec.artifacts[].copy`. */
export interface CopyOperation {
  /** `@alias/path`, where the path may be a pattern. */
  readonly from: string
  /** `@artifact/path`. */
  readonly to: string
  readonly exclude?: readonly string[]
  readonly strategy?: 'Overwrite' | 'Merge' | 'Extract'
}

export interface CopyPorts {
  /** Unpacks a tar.gz. Fails if it is damaged, too large, or leads out of its root. */
  readonly extract: (archive: Uint8Array) => Promise<Files>
  readonly limits?: StageLimits
  /** Lists the files and folders of a source; one that remembers its results helps where many artifacts have the same sources. */
  readonly entriesOf?: typeof entriesOf
}

/**
 * Puts the files of an artifact together, as source-watcher does: the operations run in order, and later ones overwrite what earlier ones
 * wrote. Fails with its messages.
 *
 * @param sources the files of each source, by alias
 */
export const copyFiles = async (
  operations: readonly CopyOperation[],
  sources: ReadonlyMap<string, Files>,
  { limits, ...ports }: CopyPorts,
): Promise<Files> => {
  const staging = createStaging(limits)
  for (const operation of operations) {
    try {
      await copy(operation, sources, staging, ports)
    } catch (error) {
      const { from, to } = operation
      const message = `failed to apply copy operation from '${from}' to '${to}': ${errorMessage(error)}`
      throw new Error(message, { cause: error })
    }
  }
  return staging.files
}

/** One operation at work. */
interface Copying {
  readonly operation: CopyOperation
  readonly files: Files
  readonly entries: readonly Entry[]
  readonly excludes: Excludes
  readonly staging: Staging
  readonly extract: CopyPorts['extract']
}

const copy = async (
  operation: CopyOperation,
  sources: ReadonlyMap<string, Files>,
  staging: Staging,
  { extract, entriesOf: list = entriesOf }: CopyPorts,
): Promise<void> => {
  const { alias, path } = sourcePathOf(operation)
  const to = destinationOf(operation)
  const files = sources.get(alias)
  if (!files) throw new Error(`source alias '${alias}' not found`)
  const excludes = compileExcludes(operation.exclude)
  const copying = { operation, files, entries: list(files), excludes, staging, extract }
  return isPattern(path) ? copySelected(copying, alias, path, to) : copyOne(copying, path, to)
}

const sourcePathOf = ({ from }: CopyOperation) => {
  const invalid = (why: string) => new Error(`invalid copy source '${from}': ${why}`)
  if (!from.startsWith('@')) throw invalid("source must start with '@'")
  const slash = from.indexOf('/')
  if (slash < 0) throw invalid("source format must be '@alias/pattern'")
  return { alias: from.slice(1, slash), path: from.slice(slash + 1) }
}

const root = '@artifact/'

const destinationOf = ({ to }: CopyOperation): string => {
  if (!to.startsWith(root)) throw new Error(`invalid copy destination '${to}': destination must start with '${root}'`)
  return to.slice(root.length)
}

/** `cp -r path to`. */
const copyOne = async (copying: Copying, given: string, to: string): Promise<void> => {
  const { operation, files, entries, excludes, staging } = copying
  const path = cleanPath(given)
  requireInsideSource(path)
  const file = files.get(path)
  const isFolder = path === '.' || entries.some(entry => entry.isFolder && entry.path === path)
  if (!file && !isFolder) throw new Error(`source '${path}' does not exist`)
  const isExtracted = operation.strategy === 'Extract'
  if (!file) {
    if (isExtracted) throw new Error(`extract strategy is not supported for directories, got '${path}'`)
    return copyFolder(copying, path, joinPath(to, path === '.' ? '.' : baseName(path)), path)
  }
  if (excludes(path, '.')) return
  if (isExtracted) {
    if (!isTarball(path)) throw new Error(`extract strategy requires tarball file (.tar.gz or .tgz), got '${path}'`)
    return extractInto(copying, path, to)
  }
  const isInto = operation.to.endsWith('/') || staging.isFolder(to)
  put(copying, isInto ? joinPath(to, baseName(path)) : to, file)
}

const requireInsideSource = (path: string): void => {
  try {
    requireInside(path, 'statat')
  } catch (error) {
    throw new Error(`failed to stat source '${path}': ${errorMessage(error)}`, { cause: error })
  }
}

/** All files and folders that a pattern selects. */
const copySelected = async (copying: Copying, alias: string, pattern: string, to: string): Promise<void> => {
  const { operation, files, entries, excludes } = copying
  const selected = selectEntries(entries, pattern, operation.strategy)
  if (selected.length === 0) throw new Error(`no files match pattern '${pattern}' in source '${alias}'`)
  const base = selectionRoot(pattern)
  const kept = selected.filter(({ path }) => !excludes(path, base))
  if (kept.length === 0) throw new Error(`all files matching pattern '${pattern}' in source '${alias}' were excluded`)
  for (const { path, isFolder } of kept) {
    if (operation.strategy === 'Extract') {
      if (!isFolder && isTarball(path)) await extractInto(copying, path, to)
      continue
    }
    const target = targetOf(pattern, path, to)
    try {
      if (isFolder) copyFolder(copying, path, target, base)
      else put(copying, target, files.get(path)!)
    } catch (error) {
      throw new Error(`failed to copy file '${path}' to '${target}': ${errorMessage(error)}`, { cause: error })
    }
  }
}

/** `folder/**` selects what is in the folder; other patterns keep the whole path. */
const targetOf = (pattern: string, path: string, to: string): string => {
  const folder = pattern.endsWith('/**') ? pattern.slice(0, -2) : undefined
  return joinPath(to, folder && path.startsWith(folder) ? path.slice(folder.length) : path)
}

/** All files below a folder, except those that are excluded, or in an excluded folder. Files of a folder are never merged. */
const copyFolder = ({ files, entries, excludes, staging }: Copying, path: string, to: string, base: string): void => {
  const above = path === '.' ? '' : `${path}/`
  let excluded: string | undefined
  for (const entry of entries) {
    if (!entry.path.startsWith(above) || (excluded !== undefined && entry.path.startsWith(excluded))) continue
    if (excludes(entry.path, base)) {
      if (entry.isFolder) excluded = `${entry.path}/`
    } else if (!entry.isFolder) staging.put(joinPath(to, entry.path.slice(above.length)), files.get(entry.path)!)
  }
}

const put = ({ operation, staging }: Copying, path: string, file: StagedFile): void => {
  const present = operation.strategy === 'Merge' ? staging.files.get(cleanPath(path)) : undefined
  staging.put(path, present ? { content: mergeYaml(present.content, file.content), executable: false } : file)
}

const isTarball = (path: string): boolean => /\.(?:tar\.gz|tgz)$/i.test(path)

const extractInto = async ({ files, staging, extract }: Copying, path: string, to: string): Promise<void> => {
  try {
    for (const [name, file] of await extract(files.get(path)!.content)) staging.put(joinPath(to, name), file)
  } catch (error) {
    throw new Error(`failed to extract tarball '${path}' to '${to}': ${errorMessage(error)}`, { cause: error })
  }
}
