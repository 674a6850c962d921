import { createHmac } from 'node:crypto'
import { type Artifact, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { type StoragePorts, type StorageSettings, urlOf } from './artifact-storage.ts'
import type { Source } from './source.ts'

/** What makes two sources fetch the same: where from, with what access, which revision, and what is made of it. Comparable as JSON. */
export interface FetchKey {
  readonly kind: string
  readonly address: string
  /** Credentials, proxy, authorities: what the answer may depend on. Undefined for whoever asks as anybody would. */
  readonly access: unknown
  /** Of the content, as the server names it: a commit, a digest. */
  readonly content: string
  /** Of the spec: which files, and how they are packed. */
  readonly rules: unknown
}

export interface SharedFetchPorts extends StoragePorts {
  /** A secret of the hub for this use alone. */
  readonly fetchSecret: () => Promise<Uint8Array>
}

/** What was fetched for somebody: an artifact, and what else its source says of it. */
export interface Fetched {
  readonly artifact: Artifact
  readonly about: string
}

export interface ArtifactNames {
  /** Name of the file in the source's folder. */
  readonly file: string
  readonly revision: string
}

/** One content that a pass may fetch or take over, until it is disposed of. */
export interface SharedFetch extends Disposable {
  /** Whether this pass is the one of this process to fetch it: others wait for it to end, and take over what it got. */
  readonly leads: boolean
  /** The artifact that somebody else got, as one of this source; waits for a pass of this process that is about to get it. */
  take(source: Source, names: ArtifactNames, signal: AbortSignal): Promise<Fetched | undefined>
  /** Lets others take over what this pass got. */
  give(fetched: Fetched): Promise<void>
}

export type OpenFetch = (key: FetchKey) => Promise<SharedFetch>

/** Where it is told which content a fetch gave. */
export const fetchedFolder = 'fetched/'

/**
 * Fetches that sources share, in whichever namespaces they are: who would fetch what somebody else has fetched, with the same access, gets that
 * artifact. Each source asks its server itself what its reference stands for, and is told of nobody else. Names in the store tell nothing of
 * credentials, as they are made with a secret of the hub.
 */
export const sharedFetches = (
  { artifacts, clock, fetchSecret }: SharedFetchPorts,
  settings: StorageSettings,
): OpenFetch => {
  const leading = new Map<string, Promise<void>>()

  const nameOf = async ({ access, ...key }: FetchKey): Promise<string> => {
    const secret = access === undefined ? '' : await fetchSecret()
    const said = JSON.stringify([layout, settings.digestAlgorithm, key, access ?? null])
    return `${fetchedFolder}${createHmac('sha256', secret).update(said).digest('hex')}`
  }

  return async key => {
    const name = await nameOf(key)
    const look = () => artifacts.get(name).catch(() => undefined)
    const leader = leading.get(name)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    if (!leader) leading.set(name, ended)
    const early = leader ? undefined : look()
    return {
      leads: !leader,

      take: async (source, { file, revision }, signal) => {
        if (leader) await Promise.race([leader, aborted(signal)])
        signal.throwIfAborted()
        const found = await (early ?? look())
        if (!found) return undefined
        const { about, ...made } = JSON.parse(Buffer.from(found).toString()) as Note
        const path = `${folderOf(source)}${file}`
        if (!(await artifacts.claim(blobNameOf({ path, digest: made.digest })))) return undefined
        const url = urlOf(path, settings)
        return { artifact: { ...made, lastUpdateTime: timestamp(clock.now()), path, revision, url }, about }
      },

      give: async ({ artifact: { digest, size, metadata }, about }) => {
        const note: Note = { digest, size, ...(metadata && { metadata }), about }
        // Whoever does not find it fetches by itself.
        await artifacts.put(name, Buffer.from(JSON.stringify(note))).catch(() => {})
      },

      [Symbol.dispose]: () => {
        if (leading.get(name) === ended) leading.delete(name)
        end()
      },
    }
  }
}

/** The contents that one pass may share, one at a time: passes that wait for each other never wait in a circle. */
export interface PassFetches extends Disposable {
  /** Undefined for a source whose fetches are its own. */
  open(content: string): Promise<SharedFetch | undefined>
}

export const fetchesOfPass = (open: OpenFetch, key: Omit<FetchKey, 'content'> | undefined): PassFetches => {
  let opened: { readonly content: string; readonly shared: SharedFetch } | undefined
  const close = () => opened?.shared[Symbol.dispose]()
  return {
    open: async content => {
      if (!key || opened?.content === content) return opened?.shared
      close()
      opened = { content, shared: await open({ ...key, content }) }
      return opened.shared
    },
    [Symbol.dispose]: close,
  }
}

type Note = Pick<Artifact, 'digest' | 'size' | 'metadata'> & { readonly about: string }

/** Of what is kept: with another one, all is fetched anew. */
const layout = 1

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
