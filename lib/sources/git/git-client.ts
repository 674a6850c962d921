import type { GitReference } from '../../foundations/kinds/git-repository.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import { type Spool, spool } from '../spool.ts'
import { addressSet } from './address-set.ts'
import type { Clone } from './clone.ts'
import type { GitCredentials } from './credentials.ts'
import { GitError, tooLarge } from './git-error.ts'
import { formatOf, type GitObjects } from './git-object.ts'
import { defaultLimits, type GitLimits } from './limits.ts'
import { type OpenSsh, openGitConnections } from './open-connections.ts'
import { openRemote } from './open-remote.ts'
import { readPack } from './pack.ts'
import { addWhole, partialObjects } from './partial-objects.ts'
import { changeTree } from './push/change-tree.ts'
import type { NewObjects } from './push/new-objects.ts'
import { openReceiver, type Receiver } from './push/receive-pack.ts'
import { type Commit, peel, readCommit } from './read-object.ts'
import { commitNotFound, referenceQuery, type Target } from './reference.ts'
import type { FetchRequest, Remote } from './remote.ts'
import { type SignedObjects, signedObjects } from './signature/signed-objects.ts'
import { withSubmodules } from './submodules.ts'
import { checkout, hasEntry, rootFile, type Selection } from './worktree.ts'

/** Reads git repositories over the network, and pushes to them, without a git program and without a checkout on disk. */
export interface GitClient {
  open(options: SessionOptions): GitSession
}

interface SessionOptions {
  readonly url: URL
  readonly credentials: GitCredentials
  readonly signal: AbortSignal
  /** For checkouts of files with `keeps`: what other sessions with the same access have fetched and pushed. */
  readonly clone?: Clone | undefined
}

/**
 * The use of one repository with its credentials, until it is closed. Fails with GitError, worded as in
 * source-controller.
 */
export interface GitSession {
  /**
   * Resolves a reference to a commit: one request, none for a commit. `observed` says that the source was fetched
   * before; it only changes the wording of failures.
   */
  resolve(reference: GitReference, observed?: boolean): Promise<Target>
  /**
   * Starts to fetch a commit that a reference is likely to resolve to, concurrently with `resolve`. `fetch` uses the
   * result if the commit is the resolved one; otherwise the result, and any failure, is dropped.
   */
  prefetch(commit: string): void
  /**
   * The files at a target, readable until the session is closed: one request, plus one per submodule if they are
   * included.
   */
  fetch(target: Target, options?: CheckoutOptions): Promise<Checkout>
  /** Whether a commit is in the history of another one, whose commits it fetches. */
  isAncestor(older: string, commit: string): Promise<boolean>
  /** Opens the repository for a push. */
  receiver(): Promise<Receiver>
  close(): Promise<void>
}

export interface CheckoutOptions extends Selection {
  /** Include the files of submodules, recursively. */
  readonly submodules?: boolean | undefined
}

export interface Checkout {
  readonly commit: Commit
  readonly tree: SourceTree
  /** The commit, and the requested tag, with their signatures. */
  signed(): SignedObjects
  /** Whether the commit has a file or a folder at a path, checked out or not. */
  has(path: string): boolean
  /** The id of the same tree with other contents of some files; adds what is new to `added`. */
  change(files: ReadonlyMap<string, Uint8Array>, added: NewObjects): string
}

const MAX_NESTED_MODULES = 10

export interface GitClientOptions {
  readonly limits?: GitLimits
  /** How ssh addresses are read; without it they are refused. Passed in, as the SSH client is large and few need it. */
  readonly ssh?: OpenSsh
}

/**
 * A git client over HTTP and, with `ssh`, over SSH. It remembers which servers lack protocol version 2, and which
 * repositories use SHA-256, so that these cost no further requests.
 */
export const gitClient = (
  connections: Connections,
  { limits = defaultLimits, ssh: sshTransport }: GitClientOptions = {},
): GitClient => {
  const [oldServers, sha256Repositories] = [addressSet(), addressSet()]

  const open = (options: SessionOptions, depth = 0, packs: Spool[] = []): GitSession => {
    const { url, credentials, signal } = options
    const address = addressOf(url)
    const { clone } = options
    const repository = { url, address, limits, signal, packs, clone, fetchModule: fetchModule(options, depth, packs) }
    const gitConnections = openGitConnections(
      { url, credentials, signal, address, maxBytes: limits.maxPackBytes },
      connections,
      sshTransport,
    )
    const remote = openRemote(gitConnections.transport('git-upload-pack'), {
      triesV2: gitConnections.isSsh || !oldServers.has(url.origin),
      format: !gitConnections.isSsh && sha256Repositories.has(address) ? 'sha256' : 'sha1',
      onGreeting: (isOld, format) => {
        if (gitConnections.isSsh) return
        oldServers.set(url.origin, isOld)
        sha256Repositories.set(address, format === 'sha256')
      },
    })
    const { settled, ...session } = readRepository(remote, repository)
    return {
      ...session,
      receiver: async () => {
        const receiver = await openReceiver(gitConnections.transport('git-receive-pack'), address)
        const push: Receiver['push'] = async request => {
          await receiver.push(request)
          clone?.addPushed([...new Set(request.updates.map(({ to }) => to))], request.objects.objects)
        }
        return { ...receiver, push }
      },
      close: async () => {
        gitConnections.abort()
        await settled()
        // Files of submodules stay readable as long as those of the repository.
        if (depth === 0) for (const pack of packs.splice(0)) pack[Symbol.dispose]()
        await gitConnections.close()
      },
    }
  }

  /**
   * Credentials are sent to submodules on the repository's own server only; an SSH key may go to any host in
   * known_hosts.
   */
  const fetchModule =
    ({ url: parent, credentials, signal }: SessionOptions, depth: number, packs: Spool[]): FetchModule =>
    async (url, commit) => {
      if (depth >= MAX_NESTED_MODULES) throw tooLarge(`submodules are nested deeper than ${MAX_NESTED_MODULES}`)
      const { ssh, proxy } = credentials
      const anonymous = { tls: {}, ...(proxy && { proxy }) }
      const isSameServer = url.protocol === parent.protocol && (url.host === parent.host || url.protocol === 'ssh:')
      const user = decodeURIComponent(url.username)
      const own = ssh && user ? { ...credentials, ssh: { ...ssh, username: user } } : credentials
      const module = open({ url, credentials: isSameServer ? own : anonymous, signal }, depth + 1, packs)
      try {
        const target = { commit, want: commit, isPinned: true } as const
        return (await module.fetch(target, { submodules: true })).tree
      } finally {
        await module.close()
      }
    }

  return { open: options => open(options) }
}

type FetchModule = (url: URL, commit: string) => Promise<SourceTree>

interface Repository {
  readonly url: URL
  /** For messages, without secrets. */
  readonly address: string
  readonly limits: GitLimits
  readonly signal: AbortSignal
  /** The packs fetched so far. */
  readonly packs: Spool[]
  readonly clone: Clone | undefined
  readonly fetchModule: FetchModule
}

/** For messages: the user of an SSH address is shown, as it is not secret; any other may be a token. */
const addressOf = ({ protocol, username, host, pathname }: URL): string =>
  `${protocol}//${protocol === 'ssh:' && username ? `${username}@` : ''}${host}${pathname}`

const readRepository = (
  remote: Remote,
  { url, address, limits, signal, packs, clone, fetchModule }: Repository,
): Omit<GitSession, 'receiver' | 'close'> & { settled(): Promise<unknown> } => {
  /** Adds the action and the address to an error. */
  const unableTo = (action: string) => (error: unknown) => {
    const isLate = signal.aborted && !(error instanceof GitError)
    const cause = isLate ? new GitError('unreachable', 'context deadline exceeded', { cause: error }) : error
    if (!(cause instanceof GitError) || cause.code === 'invalidCredentials') throw cause
    throw new GitError(cause.code, `unable to ${action} '${address}': ${cause.message}`, { cause })
  }
  const fetchInto = async (pack: Spool, request: FetchRequest): Promise<GitObjects> => {
    await remote.fetch(request, pack)
    return readPack(pack, limits, signal, formatOf(request.wants[0]!))
  }
  const objectsOf = (request: FetchRequest): Promise<GitObjects> => {
    const pack = spool()
    packs.push(pack)
    return fetchInto(pack, request)
  }

  const resolve = async (reference: GitReference, observed = false): Promise<Target> => {
    const { prefixes, targetsIn } = referenceQuery(reference, address)
    const list = (wanted: readonly string[]) =>
      remote.references(wanted).catch(unableTo(observed || reference.name ? 'list remote for' : 'clone'))
    const references = prefixes.length > 0 ? await list(prefixes) : []
    if (prefixes.length > 0 && references.length === 0 && (await list([])).length === 0) {
      throw new GitError('emptyRepository', 'git repository is empty')
    }
    const targets = targetsIn(references)
    return targets.length > 1 ? newest(targets) : targets[0]!
  }

  /** Commits without their files. */
  const commitsOf = (request: FetchRequest): Promise<GitObjects> =>
    objectsOf({ ...request, filter: 'tree:0' })
      .catch(() => objectsOf(request)) // few servers refuse filters
      .catch(unableTo('clone'))

  const newest = async (targets: readonly Target[]): Promise<Target> => {
    const objects = await commitsOf({ wants: targets.map(({ want }) => want), depth: 1 })
    const timeOf = ({ want }: Target) => readCommit(objects, peel(objects, want)).time
    return targets.reduce((best, target) => (timeOf(target) >= timeOf(best) ? target : best))
  }

  const isAncestor = async (older: string, commit: string): Promise<boolean> =>
    (await commitsOf({ wants: [commit] })).has(older)

  /** Checks that a pinned commit is in the history of its branch. */
  const requireOnBranch = async (commit: string, branch: string): Promise<void> => {
    const tip = await resolve({ branch })
    if (tip.commit !== commit && !(await isAncestor(commit, tip.want))) throw commitNotFound(commit)
  }

  /** The prefetched commit. */
  let prefetched: { readonly commit: string; readonly objects: Promise<GitObjects | undefined> } | undefined
  const expect = (commit: string): void => {
    if (!remote.allowsEarlyRequests) return
    prefetched = { commit, objects: objectsOf({ wants: [commit], depth: 1, isEarly: true }).catch(() => undefined) }
  }

  const fetch = async (target: Target, { submodules, ...selection }: CheckoutOptions = {}): Promise<Checkout> => {
    if (target.isPinned && target.label) await requireOnBranch(target.commit, target.label)
    const isPartial = selection.prefixes !== undefined || selection.accepts !== undefined
    const partial = isPartial
      ? await partialObjects({ objectsOf, fetchInto, limits, signal, clone }, target, selection)
      : undefined
    const objects =
      partial ??
      (prefetched?.commit === target.want ? await prefetched.objects : undefined) ??
      (await objectsOf({ wants: [target.want], depth: 1 }).catch(error => {
        if (target.isPinned && error instanceof GitError && error.code === 'refused')
          throw commitNotFound(target.commit)
        return unableTo('clone')(error)
      }))
    if (peel(objects, target.want) !== target.commit) throw commitNotFound(target.commit)
    if (clone && !partial) addWhole(clone, target, objects, selection)
    const commit = readCommit(objects, target.commit)
    const worktree = await checkout(objects, commit.tree, limits, selection)
    return {
      commit,
      tree: submodules
        ? await withSubmodules(worktree, {
            url,
            gitModules: rootFile(objects, commit.tree, '.gitmodules'),
            prefixes: selection.prefixes,
            limits,
            fetch: fetchModule,
          })
        : worktree.files,
      signed: () => signedObjects(objects, target),
      has: path => hasEntry(objects, commit.tree, path),
      change: (files, added) => changeTree(objects, commit.tree, files, added),
    }
  }

  return { resolve, prefetch: expect, fetch, isAncestor, settled: async () => prefetched?.objects }
}
