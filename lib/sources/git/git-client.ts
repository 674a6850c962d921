import type { GitReference } from '../../foundations/kinds/git-repository.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import { type Spool, spool } from '../spool.ts'
import type { GitCredentials } from './credentials.ts'
import { GitError, tooLarge } from './git-error.ts'
import { formatOf, type GitObjects } from './git-object.ts'
import { httpTransport } from './http-transport.ts'
import { openRemote } from './open-remote.ts'
import { type PackLimits, readPack } from './pack.ts'
import { type Commit, peel, readCommit } from './read-object.ts'
import { commitNotFound, queryOf, type Target } from './reference.ts'
import { rememberedAddresses } from './remembered-addresses.ts'
import type { FetchRequest, Remote } from './remote.ts'
import { type SignedObjects, signedObjects } from './signature/signed-objects.ts'
import { sshTransport } from './ssh/ssh-transport.ts'
import { withSubmodules } from './submodules.ts'
import { checkOut, rootFile, type WorktreeLimits, wantedBlobs } from './worktree.ts'

/** Reads git repositories over the network, without a git program and without touching the disk. */
export interface GitClient {
  visit(options: VisitOptions): GitSession
}

interface VisitOptions {
  readonly url: URL
  readonly credentials: GitCredentials
  readonly signal: AbortSignal
}

/** One look at one repository. Fails with GitError, in the words that source-controller has for it. */
export interface GitSession {
  /**
   * What a reference stands for now: one request, none for a commit. `observed` says that it was fetched before, which
   * only changes the words of a failure.
   */
  resolve(reference: GitReference, observed?: boolean): Promise<Target>
  /**
   * Begins to fetch a commit that a reference is said to stand for by now, while `resolve` asks what it does stand for. `fetch` takes it
   * if that is so; what comes of it otherwise, and failures, are dropped.
   */
  expect(commit: string): void
  /** The files at a target, to be read until the visit is closed: one request, and one for each submodule where those are asked for. */
  fetch(target: Target, options?: CheckoutOptions): Promise<Checkout>
  close(): Promise<void>
}

export interface CheckoutOptions {
  /** Only files whose paths begin with one of these. */
  readonly prefixes?: readonly string[] | undefined
  /** Put in the files of submodules, and of theirs. */
  readonly submodules?: boolean | undefined
}

export interface Checkout {
  readonly commit: Commit
  readonly tree: SourceTree
  /** The commit, and the tag that was asked for, with their signatures. */
  signed(): SignedObjects
}

export type GitLimits = PackLimits & WorktreeLimits & { readonly maxPackBytes: number }

const GB = 1 << 30

const defaultLimits: GitLimits = {
  maxPackBytes: 2 * GB,
  maxObjects: 1_000_000,
  maxObjectBytes: 256 << 20,
  maxTotalBytes: 2 * GB,
  maxEntries: 300_000,
  maxBytes: 2 * GB,
  maxDepth: 256,
}

/** Of repositories whose files are all taken into memory. */
export const limitsInMemory: GitLimits = { ...defaultLimits, maxPackBytes: GB / 2, maxTotalBytes: GB, maxBytes: GB }

const MAX_NESTED_MODULES = 10
/** A line of the request for each. */
const MAX_BLOBS_WANTED = 10_000

export const gitClient = (wires: Connections, limits: GitLimits = defaultLimits): GitClient => {
  const [oldServers, sha256Repositories] = [rememberedAddresses(), rememberedAddresses()]

  const visit = (options: VisitOptions, depth = 0, packs: Spool[] = []): GitSession => {
    const { url, credentials, signal } = options
    const { authorization, tls, ssh, proxy } = credentials
    const maxBytes = limits.maxPackBytes
    const address = addressOf(url)
    const repository = { url, address, limits, signal, packs, fetchModule: fetchModule(options, depth, packs) }
    /** Files of submodules are read as long as those of the repository. */
    const closePacks = (): void => {
      if (depth > 0) return
      for (const pack of packs.splice(0)) pack[Symbol.dispose]()
    }
    if (ssh) {
      const way = proxy ?? wires.proxyFor(url)
      const transport = sshTransport({ url, credentials: ssh, connections: wires, signal, maxBytes, proxy: way })
      const remote = openRemote(transport, { triesV2: true, format: 'sha1', onGreeting: () => {} })
      const { settled: _, ...session } = readRepository(remote, repository)
      return {
        ...session,
        close: async () => {
          await transport.close()
          closePacks()
        },
      }
    }
    const way = proxy ? { proxy } : {}
    const [home, strangers] = [wires.open({ tls, ...way }), wires.open(way)]
    const closing = new AbortController()
    const transport = httpTransport({
      url,
      ...(authorization && { authorization }),
      signal: AbortSignal.any([signal, closing.signal]),
      agent: home.agent,
      crossOriginAgent: strangers.agent,
      maxBytes,
    })
    const remote = openRemote(transport, {
      triesV2: !oldServers.has(url.origin),
      format: sha256Repositories.has(address) ? 'sha256' : 'sha1',
      onGreeting: (isOld, format) => {
        oldServers.set(url.origin, isOld)
        sha256Repositories.set(address, format === 'sha256')
      },
    })
    const { settled, ...session } = readRepository(remote, repository)
    return {
      ...session,
      close: async () => {
        closing.abort()
        await settled()
        closePacks()
        await transport.close()
        await Promise.all([home.close(), strangers.close()])
      },
    }
  }

  /** A submodule is fetched with the credentials of the repository from its own server only; SSH knows its servers. */
  const fetchModule =
    ({ url: parent, credentials, signal }: VisitOptions, depth: number, packs: Spool[]): FetchModule =>
    async (url, commit) => {
      if (depth >= MAX_NESTED_MODULES) throw tooLarge(`submodules are nested deeper than ${MAX_NESTED_MODULES}`)
      const { ssh, proxy } = credentials
      const strangers = { tls: {}, ...(proxy && { proxy }) }
      const isHome = url.protocol === parent.protocol && (url.host === parent.host || url.protocol === 'ssh:')
      const user = decodeURIComponent(url.username)
      const own = ssh && user ? { ...credentials, ssh: { ...ssh, username: user } } : credentials
      const module = visit({ url, credentials: isHome ? own : strangers, signal }, depth + 1, packs)
      try {
        const target = { commit, want: commit, isPinned: true } as const
        return (await module.fetch(target, { submodules: true })).tree
      } finally {
        await module.close()
      }
    }

  return { visit: options => visit(options) }
}

type FetchModule = (url: URL, commit: string) => Promise<SourceTree>

interface Repository {
  readonly url: URL
  /** As messages show it. */
  readonly address: string
  readonly limits: GitLimits
  readonly signal: AbortSignal
  /** Those that were fetched. */
  readonly packs: Spool[]
  readonly fetchModule: FetchModule
}

/** As messages show it: the user of an SSH address is no secret, that of others may be a token. */
const addressOf = ({ protocol, username, host, pathname }: URL): string =>
  `${protocol}//${protocol === 'ssh:' && username ? `${username}@` : ''}${host}${pathname}`

const readRepository = (
  remote: Remote,
  { url, address, limits, signal, packs, fetchModule }: Repository,
): Omit<GitSession, 'close'> & { settled(): Promise<unknown> } => {
  /** Says what failed, and where. */
  const unableTo = (action: string) => (error: unknown) => {
    const isLate = signal.aborted && !(error instanceof GitError)
    const cause = isLate ? new GitError('unreachable', 'context deadline exceeded', { cause: error }) : error
    if (!(cause instanceof GitError) || cause.code === 'badCredentials') throw cause
    throw new GitError(cause.code, `unable to ${action} '${address}': ${cause.message}`, { cause })
  }
  const objectsOf = async (request: FetchRequest) => {
    const pack = spool()
    packs.push(pack)
    await remote.fetch(request, pack)
    return readPack(pack, limits, signal, formatOf(request.wants[0]!))
  }

  const resolve = async (reference: GitReference, observed = false): Promise<Target> => {
    const { prefixes, targetsIn } = queryOf(reference, address)
    const list = (beginnings: readonly string[]) =>
      remote.references(beginnings).catch(unableTo(observed || reference.name ? 'list remote for' : 'clone'))
    const references = prefixes.length > 0 ? await list(prefixes) : []
    if (prefixes.length > 0 && references.length === 0 && (await list([])).length === 0) {
      throw new GitError('emptyRepository', 'git repository is empty')
    }
    const targets = targetsIn(references)
    return targets.length > 1 ? newest(targets) : targets[0]!
  }

  const newest = async (targets: readonly Target[]): Promise<Target> => {
    const request = { wants: targets.map(({ want }) => want), depth: 1 }
    const objects = await objectsOf({ ...request, filter: 'tree:0' })
      .catch(() => objectsOf(request)) // few servers refuse filters
      .catch(unableTo('clone'))
    const timeOf = ({ want }: Target) => readCommit(objects, peel(objects, want)).time
    return targets.reduce((best, target) => (timeOf(target) >= timeOf(best) ? target : best))
  }

  /** A commit that is asked for on a branch must be one of its history, of which all commits are looked at. */
  const requireOnBranch = async (commit: string, branch: string): Promise<void> => {
    const { prefixes, targetsIn } = queryOf({ branch }, address)
    const [tip] = targetsIn(await remote.references(prefixes).catch(unableTo('clone')))
    if (tip!.commit === commit) return
    const history = await objectsOf({ wants: [tip!.want], filter: 'tree:0' })
      .catch(() => objectsOf({ wants: [tip!.want] })) // few servers refuse filters
      .catch(unableTo('clone'))
    if (!history.has(commit)) throw commitNotFound(commit)
  }

  /**
   * What a checkout of some folders needs: first the trees, then the files in question. undefined where the server does not
   * help with it, or so much is asked for that it may as well send everything.
   */
  const objectsBelow = async (target: Target, prefixes: readonly string[]): Promise<GitObjects | undefined> => {
    try {
      const trees = await objectsOf({ wants: [target.want], depth: 1, filter: 'blob:none' })
      const { tree } = readCommit(trees, peel(trees, target.want))
      const missing = wantedBlobs(trees, tree, limits, prefixes).filter(id => !trees.has(id))
      if (missing.length > MAX_BLOBS_WANTED) return undefined
      const blobs = missing.length > 0 ? await objectsOf({ wants: missing }) : new Map()
      return new Map([...trees, ...blobs])
    } catch (error) {
      if (signal.aborted || !(error instanceof GitError)) throw error
      return undefined
    }
  }

  /** What was expected, as soon as it is here. */
  let early: { readonly commit: string; readonly objects: Promise<GitObjects | undefined> } | undefined
  const expect = (commit: string): void => {
    if (!remote.takesBlindRequests) return
    early = { commit, objects: objectsOf({ wants: [commit], depth: 1, isBlind: true }).catch(() => undefined) }
  }

  const fetch = async (target: Target, { prefixes, submodules }: CheckoutOptions = {}): Promise<Checkout> => {
    if (target.isPinned && target.label) await requireOnBranch(target.commit, target.label)
    const sparse = prefixes && (await objectsBelow(target, prefixes))
    const objects =
      sparse ??
      (early?.commit === target.want ? await early.objects : undefined) ??
      (await objectsOf({ wants: [target.want], depth: 1 }).catch(error => {
        if (target.isPinned && error instanceof GitError && error.code === 'refused')
          throw commitNotFound(target.commit)
        return unableTo('clone')(error)
      }))
    if (peel(objects, target.want) !== target.commit) throw commitNotFound(target.commit)
    const commit = readCommit(objects, target.commit)
    const worktree = checkOut(objects, commit.tree, limits, prefixes)
    return {
      commit,
      tree: submodules
        ? await withSubmodules(worktree, {
            url,
            gitModules: rootFile(objects, commit.tree, '.gitmodules'),
            prefixes,
            limits,
            fetch: fetchModule,
          })
        : worktree.files,
      signed: () => signedObjects(objects, target),
    }
  }

  return { resolve, expect, fetch, settled: async () => early?.objects }
}
