import { cleanPath, type Files, joinPath, requireInside, type StagedFile } from './files.ts'

/** The files of an artifact that is being put together. */
export interface Staging {
  readonly files: Files
  /** Adds a file, or replaces one. Fails where a folder has its name, or a file the name of one of its folders. */
  put(path: string, file: StagedFile): void
  isFolder(path: string): boolean
}

export interface StageLimits {
  readonly maxFiles: number
  /** Bytes of all files together. */
  readonly maxBytes: number
}

const defaultStageLimits: StageLimits = { maxFiles: 200_000, maxBytes: 1 << 30 }

/** An empty staging folder; upstream's has no limits. */
export const createStaging = ({ maxFiles, maxBytes }: StageLimits = defaultStageLimits): Staging => {
  const files = new Map<string, StagedFile>()
  const folders = new Set<string>()
  let bytes = 0
  /** Makes the folders of a file, with the errors of Go's os.Root where one of them is a file. */
  const enter = (path: string, problem: string): void => {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(slash, 0))
    if (slash < 0 || folders.has(folder)) return
    if (files.has(folder)) throw new Error(`${problem} ${path}: not a directory`)
    enter(folder, 'failed to create destination directory: mkdirat')
    folders.add(folder)
  }
  return {
    files,
    put(given, file) {
      const path = insideOf(given)
      if (path === '.' || folders.has(path)) throw new Error(`openat ${path}: is a directory`)
      enter(path, 'openat')
      bytes += file.content.length - (files.get(path)?.content.length ?? 0)
      files.set(path, file)
      if (files.size > maxFiles) throw new Error(`the artifact has more than ${maxFiles} files`)
      if (bytes > maxBytes) throw new Error(`the artifact has more than ${maxBytes} bytes`)
    },
    isFolder: path => cleanPath(path) === '.' || folders.has(joinPath(path)),
  }
}

const insideOf = (given: string): string => {
  const clean = cleanPath(given)
  const slash = clean.lastIndexOf('/')
  if (slash > 0) requireInside(clean.slice(0, slash), 'failed to create destination directory: mkdirat')
  return requireInside(clean, 'openat')
}
