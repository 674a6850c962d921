import { createHmac } from 'node:crypto'
import { type Artifact, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { type StoragePorts, type StorageSettings, urlOf } from './artifact-storage.ts'
import type { Source } from './source.ts'

/** Identifies a fetch: sources with equal keys get the same artifact. Compared as JSON. */
export interface FetchKey {
  readonly kind: string
  readonly address: string
  /** Credentials, proxy and certificate authorities: all that the response may depend on. Undefined for anonymous access. */
  readonly access: unknown
  /** The server's identifier of the content: a commit or a digest. */
  readonly content: string
  /** The fields of the spec that select files, and determine how they are packed. */
  readonly rules: unknown
}

export interface SharedFetchPorts extends StoragePorts {
  /** A secret of the hub for this use only. */
  readonly fetchSecret: () => Promise<Uint8Array>
}

/** The result of a fetch: an artifact, and its description in the source's status. */
export interface Fetched {
  readonly artifact: Artifact
  readonly about: string
}

export interface ArtifactNames {
  /** Name of the file in the source's folder. */
  readonly file: string
  readonly revision: string
}

/** Content that a pass may fetch, or take from another pass, until it is disposed. */
export interface SharedFetch extends Disposable {
  /** Whether this pass fetches the content for this process: other passes wait for it, and take its result. */
  readonly leads: boolean
  /** The result of another pass, as an artifact of this source. Waits for a pass of this process that leads. */
  take(source: Source, names: ArtifactNames, signal: AbortSignal): Promise<Fetched | undefined>
  /** Publishes the result of this pass for others. */
  give(fetched: Fetched): Promise<void>
}

export type OpenFetch = (key: FetchKey) => Promise<SharedFetch>

/** The folder of records, which say which content a fetch returned. */
export const fetchedFolder = 'fetched/'

/**
 * Shares fetches between sources of all namespaces: a source whose key equals that of an earlier fetch gets the artifact of that one. Each source
 * resolves its reference with the server itself, and learns nothing about other sources. Names in the store reveal no credentials: they are
 * an HMAC with a secret of the hub.
 */
export const sharedFetches = (
  { artifacts, clock, fetchSecret }: SharedFetchPorts,
  settings: StorageSettings,
): OpenFetch => {
  const leading = new Map<string, Promise<void>>()

  const nameOf = async ({ access, ...key }: FetchKey): Promise<string> => {
    const secret = access === undefined ? '' : await fetchSecret()
    const identity = JSON.stringify([layout, settings.digestAlgorithm, key, access ?? null])
    return `${fetchedFolder}${createHmac('sha256', secret).update(identity).digest('hex')}`
  }

  return async key => {
    const name = await nameOf(key)
    const read = () => artifacts.get(name).catch(() => undefined)
    const leader = leading.get(name)
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    if (!leader) leading.set(name, ended)
    const early = leader ? undefined : read()
    return {
      leads: !leader,

      take: async (source, { file, revision }, signal) => {
        if (leader) await Promise.race([leader, aborted(signal)])
        signal.throwIfAborted()
        const found = await (early ?? read())
        if (!found) return undefined
        const { about, ...made } = JSON.parse(Buffer.from(found).toString()) as Note
        const path = `${folderOf(source)}${file}`
        if (!(await artifacts.claim(blobNameOf({ path, digest: made.digest })))) return undefined
        const url = urlOf(path, settings)
        return { artifact: { ...made, lastUpdateTime: timestamp(clock.now()), path, revision, url }, about }
      },

      give: async ({ artifact: { digest, size, metadata }, about }) => {
        const note: Note = { digest, size, ...(metadata && { metadata }), about }
        // Without the record, other sources fetch themselves.
        await artifacts.put(name, Buffer.from(JSON.stringify(note))).catch(() => {})
      },

      [Symbol.dispose]: () => {
        if (leading.get(name) === ended) leading.delete(name)
        end()
      },
    }
  }
}

/** The contents that one pass may share: one at a time, so that passes never wait for each other in a circle. */
export interface PassFetches extends Disposable {
  /** Undefined for a source that does not share fetches. */
  open(content: string): Promise<SharedFetch | undefined>
}

/** The fetches of one pass; without a key, it shares none. A pass that opens another content closes the one before. */
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

/** The version of the records' format: another version ignores them, and fetches again. */
const layout = 1

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
