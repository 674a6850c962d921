import type { Budget } from '../../foundations/budget/budget.ts'
import type { FileSystem } from './file-system.ts'
import { KustomizeError, wrapError } from './kustomize-error.ts'
import type { ReadLog } from './read-log.ts'
import { isRemoteFile, parseRemoteTarget, type RemoteTarget } from './remote-target.ts'
import { type FetchedRemotes, mountOf, mountTree } from './remotes.ts'
import { cleaned, isAmbiguous, isBelow, normalize, trimSlash } from './tree-path.ts'

export type LoadRestrictions = 'root-only' | 'none'

export interface LoaderContext {
  readonly fs: FileSystem
  readonly log: ReadLog
  readonly restrictions: LoadRestrictions | undefined
  /** The tree's root as messages show it, with a trailing slash. */
  readonly shownRoot: string
  readonly remotes?: FetchedRemotes | undefined
  /** Where the whole tree is mounted, if it is a repository. */
  readonly mount?: string
}

/** Reads files for the kustomization of one directory, and opens the directories it refers to. */
export class Loader {
  readonly directory: string
  /** The number of kustomizations between this one and the root, including itself. */
  readonly depth: number
  private readonly context: LoaderContext
  private readonly referrer: Loader | undefined
  /** The entry that refers to the repository, if any. */
  private readonly entry: string | undefined

  constructor(context: LoaderContext, directory: string, referrer?: Loader, entry?: string) {
    this.context = context
    this.directory = directory
    this.referrer = referrer
    this.depth = referrer ? referrer.depth + 1 : 0
    this.entry = entry
  }

  /** Whether the directory is in a repository rather than in the tree being built. */
  get isRemote(): boolean {
    return this.context.mount !== undefined
  }

  /** The build's budget: parsing loaded files costs their nodes. */
  get budget(): Budget {
    return this.context.log.budget
  }

  /** A path as messages show it. */
  shown(path: string): string {
    return this.context.shownRoot + path
  }

  get shownDirectory(): string {
    return this.shownOf(this.directory)
  }

  /** The path in the tree; undefined if outside. Absolute paths start at the tree's root. */
  resolve(path: string): string | undefined {
    const full = path.startsWith('/') ? path : `${this.directory}/${path}`
    // The parent of a file system's root is the root itself.
    return normalize(full, this.context.shownRoot === '/')
  }

  load(path: string): Uint8Array {
    if (isRemoteFile(path)) return this.loadRemote(path)
    const full = this.resolve(path)
    if (full === undefined) throw this.missing(path)
    const { fs, restrictions } = this.context
    if (restrictions === 'root-only') {
      if (fs.list(full) !== undefined)
        throw new KustomizeError(`'${this.shown(full)}' must resolve to a file`, { file: full })
      const bytes = fs.read(full)
      if (!bytes) throw this.missing(path)
      if (!isBelow(fs.realPath?.(full) ?? full, fs.realPath?.(this.directory) ?? this.directory))
        throw new KustomizeError(`security; file '${this.shown(full)}' is not in or below '${this.shownDirectory}'`, {
          file: full,
        })
      this.note(full, bytes)
      return bytes
    }
    const bytes = fs.read(full)
    if (!bytes) {
      if (fs.list(full) !== undefined)
        throw new KustomizeError(`read ${this.shown(full)}: is a directory`, { file: full })
      const problem = this.isBelowFile(full) ? 'not a directory' : 'no such file or directory'
      throw new KustomizeError(`open ${this.shown(full)}: ${problem}`, { file: full })
    }
    this.note(full, bytes)
    return bytes
  }

  /** Fetches remote files for `load`, which is synchronous. */
  async fetch(paths: readonly string[]): Promise<void> {
    const { remotes } = this.context
    if (!remotes) return
    for (const path of paths) if (isRemoteFile(path)) await remotes.fetch(path)
  }

  private loadRemote(url: string): Uint8Array {
    const { remotes, log } = this.context
    if (!remotes) throw new KustomizeError(`no loader for remote files is set up: ${url}`, { file: url })
    const bytes = remotes.file(url)
    log.addRemote(url, bytes)
    return bytes
  }

  private note(path: string, bytes: Uint8Array): void {
    if (this.isRemote) this.context.log.addRemote(path, bytes)
    else this.context.log.add(path, bytes)
  }

  /** The repository that an entry refers to, if repositories are enabled. */
  private repositoryOf(path: string): RemoteTarget | undefined {
    return this.context.remotes && parseRemoteTarget(path)
  }

  /** Records that the result depends on more than the tree. */
  noteOutside(): void {
    this.context.log.noteOutside()
  }

  /** All files in or below the kustomization's directory, or a directory it refers to, by relative path. */
  filesBelow(path = ''): Map<string, Uint8Array> {
    const { fs } = this.context
    const files = new Map<string, Uint8Array>()
    const visit = (directory: string, prefix: string): void => {
      for (const name of fs.list(directory) ?? []) {
        const path = directory === '' ? name : `${directory}/${name}`
        const bytes = fs.read(path)
        if (bytes) {
          this.note(path, bytes)
          files.set(prefix + name, bytes)
        } else visit(path, `${prefix}${name}/`)
      }
    }
    const directory = this.resolve(path)
    if (directory !== undefined) visit(directory, '')
    return files
  }

  /** Whether a path is a directory of the tree, with or without a kustomization. */
  isDirectory(path: string): boolean {
    const full = isRemoteFile(path) ? undefined : this.resolve(path)
    return full !== undefined && this.context.fs.list(full) !== undefined
  }

  /** The same as load, but returns undefined on any error. */
  tryLoad(path: string): Uint8Array | undefined {
    const full = this.resolve(path)
    return full !== undefined && this.context.fs.read(full) ? this.load(path) : undefined
  }

  private missing(path: string): KustomizeError {
    const full = this.resolve(path) ?? path
    const problem = this.isBelowFile(full)
      ? 'not a directory'
      : `lstat ${this.shown(this.firstMissing(full))}: no such file or directory`
    return new KustomizeError(`evalsymlink failure on '${this.shown(full)}' : ${problem}`, { file: full })
  }

  private isBelowFile(path: string): boolean {
    return this.context.fs.read(this.firstMissing(path)) !== undefined
  }

  /** The first part of a path that does not exist. */
  private firstMissing(path: string): string {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      const prefix = path.slice(0, end)
      if (this.context.fs.list(prefix) === undefined) return prefix
    }
    return path
  }

  /** The loader of the directory to build. */
  start(path: string): Loader {
    return new Loader(this.context, this.confirmDirectory(path))
  }

  /** A loader for a directory that this one's kustomization refers to. */
  async open(path: string): Promise<Loader> {
    if (path === '') throw new KustomizeError('new root cannot be empty')
    const repository = this.repositoryOf(path)
    if (repository) return this.openRepository(path, repository)
    if (path.startsWith('/')) throw new KustomizeError(`new root '${path}' cannot be absolute`)
    if (isAmbiguous(path))
      throw new KustomizeError(
        `path ${JSON.stringify(path)} is ambiguous: resolves to ${JSON.stringify(cleaned(path) || '.')} after normalization, ` +
          'which is likely not the intended target; check for YAML indentation errors in your kustomization file',
      )
    this.confirmWithinRepository(path)
    const directory = this.confirmDirectory(path)
    for (let loader: Loader | undefined = this; loader; loader = loader.referrer) {
      if (loader.context === this.context && isBelow(loader.directory, directory))
        throw new KustomizeError(
          `cycle detected: candidate root '${this.shownOf(directory)}' contains visited root '${loader.shownDirectory}'`,
          { file: directory },
        )
    }
    return new Loader(this.context, directory, this)
  }

  /** A loader for a directory of a repository, confined to that repository. */
  private async openRepository(entry: string, target: RemoteTarget): Promise<Loader> {
    for (let loader: Loader | undefined = this; loader; loader = loader.referrer) {
      if (loader.entry?.startsWith(entry))
        throw new KustomizeError(`cycle detected: URI '${entry}' referenced by previous URI '${loader.entry}'`)
    }
    const tree = await this.context.remotes!.repository(target)
    const mount = mountOf(target)
    const directory = target.path === '' ? mount : `${mount}/${target.path}`
    const fs = mountTree(tree, mount)
    const context: LoaderContext = { ...this.context, fs, mount, restrictions: 'root-only', shownRoot: '' }
    const loader = new Loader(context, directory, this, entry)
    loader.confirmDirectory('')
    return loader
  }

  private confirmWithinRepository(path: string): void {
    const { mount } = this.context
    const full = this.resolve(path)
    if (mount === undefined || (full !== undefined && isBelow(full, mount))) return
    throw new KustomizeError(
      'security; bases in kustomizations found in cloned git repos must be within the repo, ' +
        `but base '${path}' is outside '${mount}'`,
      { file: this.directory },
    )
  }

  private shownOf(directory: string): string {
    return directory === '' ? trimSlash(this.context.shownRoot) : this.shown(directory)
  }

  confirmDirectory(path: string): string {
    const directory = this.resolve(path)
    try {
      if (directory === undefined) throw this.missing(path)
      if (this.context.fs.list(directory) !== undefined) return directory
      if (this.context.fs.read(directory))
        throw new KustomizeError(`'${this.shown(directory)}': file is not directory`, { file: directory })
      throw wrapError('not a valid directory', this.missing(path))
    } catch (error) {
      throw wrapError('must build at directory', error)
    }
  }
}
