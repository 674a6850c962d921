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
  const wire = connections.open(connection)
  const send = bucketHttp(wire.agent, signal)

  const request = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<HttpResponse> => {
    const url = new URL(`${endpoint}/storage/v1/b/${encodeURIComponent(bucket)}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const accessToken = await token?.()
    return send({ url, ...(accessToken && { headers: { authorization: `Bearer ${accessToken}` } }) })
  }

  async function* list(prefix: string): AsyncGenerator<BucketObject> {
    for (let pageToken = ''; ; ) {
      const query = { prefix, fields: 'items(name,etag),nextPageToken', ...(pageToken && { pageToken }) }
      const answer = await request('/o', query)
      if (answer.status !== 200) throw (await readErrorResponse(answer)).error
      const { items = [], nextPageToken = '' } = readPage(await answer.bytes(bucketLimits.maxPageBytes))
      for (const { name, etag } of items) yield { key: name, etag }
      if (nextPageToken === '' || nextPageToken === pageToken) return
      pageToken = nextPageToken
    }
  }

  return {
    exists: async () => {
      const answer = await request('')
      if (answer.status !== 200 && answer.status !== 404) throw (await readErrorResponse(answer)).error
      await answer.discard()
      return answer.status === 200
    },
    list,
    get: async key => {
      const answer = await request(`/o/${encodeURIComponent(key)}`, { alt: 'media' })
      if (answer.status === 404) {
        await answer.discard()
        return undefined
      }
      if (answer.status !== 200) throw (await readErrorResponse(answer)).error
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
    // handled below
  }
  throw new BucketError('protocol', 'the response of the object store is not a listing')
}
