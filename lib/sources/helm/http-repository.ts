import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import { describeHttpFailure, type HttpResponse, httpClient } from '../../platform/http/http-client.ts'
import { downloadPolicy } from '../../platform/http/http-policy.ts'
import { reasonPhrase } from '../../platform/http/reason-phrase.ts'
import { NotVerified } from '../verify/not-verified.ts'
import { type ChartRepository, RepositoryError } from './chart-repository.ts'
import { type HelmLimits, helmLimits } from './helm-limits.ts'
import type { ChartIndex } from './index-file.ts'
import { pickVersion } from './pick-version.ts'

export interface HttpRepositoryOptions extends ConnectionOptions {
  /** Normalized. */
  readonly url: string
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Also send the credentials to other hosts that serve charts. */
  readonly passCredentials?: boolean
  readonly signal: AbortSignal
  readonly limits?: HelmLimits
}

/** A chart repository over HTTP: an index, and archives at the URLs that it lists. */
export interface HttpRepository {
  /** index.yaml; undefined if it still has the given entity tag. Fails with RepositoryError. */
  fetchIndex(known?: string): Promise<FetchedIndex | undefined>
  /** The charts of an index that was fetched before. */
  charts(index: () => Promise<ChartIndex>): ChartRepository
  close(): Promise<void>
}

export interface FetchedIndex {
  readonly content: Buffer
  /** The entity tag of this index; undefined if the server sends none. */
  readonly entityTag?: string
}

/**
 * A repository with connections of its own. Credentials go to its own origin only, unless `passCredentials` says
 * otherwise.
 */
export const httpRepository = (
  { url, credentials, passCredentials = false, signal, limits = helmLimits, ...connection }: HttpRepositoryOptions,
  connections: Connections,
): HttpRepository => {
  const opened = connections.open(connection)
  const send = httpClient({
    ...{ agent: opened.agent, policy: downloadPolicy, signal },
    fail: failure => new RepositoryError(describeHttpFailure(failure), failure.cause),
  })
  const home = new URL(url)

  const headersFor = (target: URL): Record<string, string> => {
    const isOurs = passCredentials || target.origin === home.origin
    if (!credentials || !isOurs) return {}
    const plain = `${credentials.username}:${credentials.password}`
    return { authorization: `Basic ${Buffer.from(plain).toString('base64')}` }
  }

  const get = async (target: URL, extra: Record<string, string> = {}): Promise<HttpResponse> => {
    const response = await send({ url: target, headers: { ...headersFor(target), ...extra } })
    if (response.status === 200 || (response.status === 304 && extra['if-none-match'])) return response
    await response.discard()
    const status = `${response.status} ${reasonPhrase(response.status)}`.trim()
    throw new RepositoryError(`failed to fetch ${target.origin + target.pathname} : ${status}`)
  }

  const fetchIndex = async (known?: string): Promise<FetchedIndex | undefined> => {
    const target = new URL(home)
    target.pathname = `${home.pathname.replace(/\/+$/, '')}/index.yaml`
    const response = await get(target, known ? { 'if-none-match': known } : {})
    if (response.status === 304) {
      await response.discard()
      return undefined
    }
    const { etag } = response.headers
    return {
      content: await response.bytes(limits.maxIndexBytes),
      ...(typeof etag === 'string' && { entityTag: etag }),
    }
  }

  const charts = (index: () => Promise<ChartIndex>): ChartRepository => ({
    find: async (name, range) => pickVersion(await index(), name, range),

    download: async ({ name, urls, digest }) => {
      const [first] = urls
      if (first === undefined) throw new RepositoryError(`chart '${name}' has no downloadable URLs`)
      const target = URL.parse(first, url)
      if (!target || !/^https?:$/.test(target.protocol)) {
        throw new RepositoryError(`chart '${name}' has an invalid URL '${first}'`)
      }
      // A repository's query, such as a token, also applies to relative URLs.
      if (!URL.canParse(first) && home.search && !target.search) target.search = home.search
      const content = await (await get(target)).bytes(limits.maxChartBytes)
      requireDigest(content, digest, name)
      return content
    },

    verify: async () => {
      throw new NotVerified('not implemented')
    },
  })

  return { fetchIndex, charts, close: opened.close }
}

/** Stricter than Flux, which does not compare: the archive must match the SHA-256 in the index, if there is one. */
const requireDigest = (content: Uint8Array, digest: string, name: string): void => {
  const expected = digest.replace(/^sha256:/, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(expected)) return
  const actual = sha256Hex(content)
  if (actual === expected) return
  throw new RepositoryError(`chart '${name}' does not match the index: its SHA-256 is ${actual}, not ${expected}`)
}
