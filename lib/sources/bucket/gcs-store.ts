import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { BucketError, type BucketObject, type BucketStore, bucketLimits } from './bucket-store.ts'
import { bucketHttp, readErrorResponse } from './error-response.ts'

export interface GcsStoreOptions extends ConnectionOptions {
  readonly bucket: string
  /** An access token; anonymous if absent. Called before each request. */
  readonly token?: () => Promise<string>
  readonly signal: AbortSignal
  /** Google's own if absent. */
  readonly endpoint?: string
}

export const googleStorage = 'https://storage.googleapis.com'

/** A bucket of Google Cloud Storage, through its JSON API. */
export const gcsStore = (options: GcsStoreOptions, connections: Connections): BucketStore => {
  const { bucket, token, signal, endpoint = googleStorage, ...connection } = options
  const opened = connections.open(connection)
  const send = bucketHttp(opened.agent, signal)

  const request = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<HttpResponse> => {
    const url = new URL(`${endpoint}/storage/v1/b/${encodeURIComponent(bucket)}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const accessToken = await token?.()
    return send({ url, ...(accessToken && { headers: { authorization: `Bearer ${accessToken}` } }) })
  }

  async function* list(prefix: string): AsyncGenerator<BucketObject> {
    for (let pageToken = ''; ; ) {
      const query = { prefix, fields: 'items(name,etag),nextPageToken', ...(pageToken && { pageToken }) }
      const response = await request('/o', query)
      if (response.status !== 200) throw (await readErrorResponse(response)).error
      const { items = [], nextPageToken = '' } = readPage(await response.bytes(bucketLimits.maxPageBytes))
      for (const { name, etag } of items) yield { key: name, etag }
      if (nextPageToken === '' || nextPageToken === pageToken) return
      pageToken = nextPageToken
    }
  }

  return {
    exists: async () => {
      const response = await request('')
      if (response.status !== 200 && response.status !== 404) throw (await readErrorResponse(response)).error
      await response.discard()
      return response.status === 200
    },
    list,
    get: async key => {
      const response = await request(`/o/${encodeURIComponent(key)}`, { alt: 'media' })
      if (response.status === 404) {
        await response.discard()
        return undefined
      }
      if (response.status !== 200) throw (await readErrorResponse(response)).error
      const { etag } = response.headers
      return { content: await response.bytes(bucketLimits.maxObjectBytes), etag: typeof etag === 'string' ? etag : '' }
    },
    close: opened.close,
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
    // handled below
  }
  throw new BucketError('protocol', 'the response of the object store is not a listing')
}
