import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { FileSystem } from './file-system.ts'
import { KustomizeError } from './kustomize-error.ts'
import { parseRemoteTarget, type RemoteTarget } from './remote-target.ts'

/** Fetches what kustomizations refer to outside of their tree. The implementation decides what may be fetched, and limits size and time. */
export interface Remotes {
  /** Fetches a file over HTTP. Rejects with a RemoteStatusError if the response status is not a success. */
  file(url: string): Promise<Uint8Array>
  /** The tree of a git repository, confined to it. */
  repository(target: RemoteTarget): Promise<FileSystem>
}

/** A server's response other than success. */
export class RemoteStatusError extends Error {
  readonly status: number
  readonly statusText: string
  constructor(status: number, statusText: string) {
    super(`HTTP Error: status code ${status} (${statusText})`)
    this.name = 'RemoteStatusError'
    this.status = status
    this.statusText = statusText
  }
}

/** Maximum number of files and repositories that one build may refer to. */
const MAX_REMOTES = 200

/** The files and repositories that one build has fetched, each once. */
export class FetchedRemotes {
  private readonly remotes: Remotes
  private readonly files = new Map<string, Uint8Array | Error>()
  private readonly repositories = new Map<string, Promise<FileSystem>>()

  constructor(remotes: Remotes) {
    this.remotes = remotes
  }

  /** Fetches a file, or keeps the error for `read`. */
  async fetch(url: string): Promise<void> {
    if (this.files.has(url)) return
    this.requireRoom(url)
    const outcome = await this.remotes.file(url).catch(error => failureOf(url, error))
    this.files.set(url, outcome)
  }

  private requireRoom(url: string): void {
    if (this.files.size + this.repositories.size >= MAX_REMOTES)
      throw new KustomizeError(`a build may name ${MAX_REMOTES} remote files and repositories, and ${url} is one more`)
  }

  file(url: string): Uint8Array {
    const outcome = this.files.get(url)
    if (outcome === undefined) throw new KustomizeError(`a remote file can't be read here: ${url}`, { file: url })
    if (outcome instanceof Error) throw outcome
    return outcome
  }

  repository(target: RemoteTarget): Promise<FileSystem> {
    const key = JSON.stringify([target.url, target.ref, target.submodules])
    const known = this.repositories.get(key)
    if (known) return known
    this.requireRoom(target.url)
    const tree = this.remotes.repository(target)
    this.repositories.set(key, tree)
    return tree
  }
}

/** A server that refuses the file may still serve a repository. */
const failureOf = (url: string, error: unknown): KustomizeError => {
  const refused = error instanceof RemoteStatusError
  if (refused && parseRemoteTarget(url)) return new KustomizeError('URL is a git repository', { file: url })
  return new KustomizeError(errorMessage(error), { file: url }, error)
}

/** Name of a repository's root in messages, origins and logs, such as `github.com/org/repo@v1`; without credentials. */
export const mountOf = ({ url, ref }: RemoteTarget): string =>
  url.replace(/^\w+:\/+(?:[^/@]*@)?/, '').replace(/\/+/g, '/') +
  (ref === undefined ? '' : `@${ref.replaceAll('/', '%2F')}`)

/** A tree under its mount path; nothing else exists. */
export const mountTree = (tree: FileSystem, mount: string): FileSystem => {
  const inside = <T>(path: string, look: (within: string) => T | undefined): T | undefined => {
    if (path === mount) return look('')
    return path.startsWith(`${mount}/`) ? look(path.slice(mount.length + 1)) : undefined
  }
  const { realPath } = tree
  return {
    read: path => inside(path, within => tree.read(within)),
    list: path => inside(path, within => tree.list(within)) ?? (mount.startsWith(`${path}/`) ? [] : undefined),
    ...(realPath && {
      realPath: path =>
        inside(path, within => {
          const real = realPath.call(tree, within)
          return real === '' ? mount : real && `${mount}/${real}`
        }),
    }),
  }
}
