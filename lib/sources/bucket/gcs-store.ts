import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { bucketHttp, readRefusal } from './answer-error.ts'
import { BucketError, type BucketObject, type BucketStore, bucketLimits } from './bucket-store.ts'

export interface GcsStoreOptions extends ConnectionOptions {
  readonly bucket: string
  /** An access token; absent = anonymous. Asked before each request. */
  readonly token?: () => Promise<string>
  readonly signal: AbortSignal
  /** Absent = Google's own. */
  readonly endpoint?: string
}

export const googleStorage = 'https://storage.googleapis.com'

/** A bucket of Google Cloud Storage, by its JSON API. */
export const gcsStore = (options: GcsStoreOptions, connections: Connections): BucketStore => {
  const { bucket, token, signal, endpoint = googleStorage, ...connection } = options
  const wire = connections.open(connection)
  const exchange = bucketHttp(wire.agent, signal)

  const ask = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<HttpResponse> => {
    const url = new URL(`${endpoint}/storage/v1/b/${encodeURIComponent(bucket)}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const proof = await token?.()
    return exchange({ url, ...(proof && { headers: { authorization: `Bearer ${proof}` } }) })
  }

  async function* list(prefix: string): AsyncGenerator<BucketObject> {
    for (let pageToken = ''; ; ) {
      const query = { prefix, fields: 'items(name,etag),nextPageToken', ...(pageToken && { pageToken }) }
      const answer = await ask('/o', query)
      if (answer.status !== 200) throw (await readRefusal(answer)).error
      const { items = [], nextPageToken = '' } = readPage(await answer.bytes(bucketLimits.maxPageBytes))
      for (const { name, etag } of items) yield { key: name, etag }
      if (nextPageToken === '' || nextPageToken === pageToken) return
      pageToken = nextPageToken
    }
  }

  return {
    exists: async () => {
      const answer = await ask('')
      if (answer.status !== 200 && answer.status !== 404) throw (await readRefusal(answer)).error
      await answer.discard()
      return answer.status === 200
    },
    list,
    get: async key => {
      const answer = await ask(`/o/${encodeURIComponent(key)}`, { alt: 'media' })
      if (answer.status === 404) {
        await answer.discard()
        return undefined
      }
      if (answer.status !== 200) throw (await readRefusal(answer)).error
      const { etag } = answer.headers
      return { content: await answer.bytes(bucketLimits.maxObjectBytes), etag: typeof etag === 'string' ? etag : '' }
    },
    close: wire.close,
  }
}

interface Page {
  readonly items?: readonly { readonly name: string; readonly etag: string }[]
  readonly nextPageToken?: string
}

const readPage = (body: Buffer): Page => {
  try {
    const page = JSON.parse(body.toString('utf8')) as Page
    const isPage = (page.items ?? []).every(({ name, etag }) => typeof name === 'string' && typeof etag === 'string')
    if (isPage) return page
  } catch {
    // as below
  }
  throw new BucketError('protocol', 'the object store answers with something that is not a listing')
}
