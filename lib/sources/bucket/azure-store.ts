import { createHmac } from 'node:crypto'
import { compareText } from '../../foundations/go/compare-text.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { type BucketObject, type BucketStore, bucketLimits } from './bucket-store.ts'
import { bucketHttp, readErrorResponse } from './error-response.ts'
import { xmlElements, xmlText } from './xml-fields.ts'

/** How requests to Azure authenticate. */
export type AzureCredential =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly token: () => Promise<string> }
  /** A shared access signature: the query of a signed URL. */
  | { readonly kind: 'sas'; readonly query: string }
  /** The storage account's key, base64. */
  | { readonly kind: 'accountKey'; readonly key: string }

export interface AzureStoreOptions extends ConnectionOptions {
  /** `https://<account>.blob.core.windows.net`. */
  readonly endpoint: URL
  readonly container: string
  readonly credential: AzureCredential
  readonly signal: AbortSignal
}

const version = '2021-08-06'

/** A container of Azure Blob Storage. */
export const azureStore = (
  options: AzureStoreOptions,
  connections: Connections,
  clock: { now(): number },
): BucketStore => {
  const { endpoint, container, credential, signal, ...connection } = options
  const opened = connections.open(connection)
  const send = bucketHttp(opened.agent, signal)

  const request = async (path: string, query: Readonly<Record<string, string>> = {}): Promise<HttpResponse> => {
    const url = new URL(`${endpoint.origin}${endpoint.pathname.replace(/\/+$/, '')}/${container}${path}`)
    const sas = credential.kind === 'sas' ? [...new URLSearchParams(credential.query.replace(/^\?/, ''))] : []
    for (const [name, value] of [...Object.entries(query), ...sas]) url.searchParams.set(name, value)
    const headers: Record<string, string> = {
      'x-ms-version': version,
      'x-ms-date': new Date(clock.now()).toUTCString(),
    }
    if (credential.kind === 'token') headers.authorization = `Bearer ${await credential.token()}`
    if (credential.kind === 'accountKey') headers.authorization = sharedKey(url, headers, credential.key)
    return send({ url, headers })
  }

  async function* list(prefix: string): AsyncGenerator<BucketObject> {
    for (let marker = ''; ; ) {
      const response = await request('', { restype: 'container', comp: 'list', prefix, ...(marker && { marker }) })
      if (response.status !== 200) throw (await readErrorResponse(response)).error
      const xml = (await response.bytes(bucketLimits.maxPageBytes)).toString('utf8')
      for (const blob of xmlElements(xml, 'Blob')) {
        yield { key: xmlText(blob, 'Name'), etag: unquoted(xmlText(blob, 'Etag')) }
      }
      const next = xmlText(xml, 'NextMarker')
      if (next === '' || next === marker) return
      marker = next
    }
  }

  return {
    exists: async () => {
      const response = await request('', { restype: 'container', comp: 'list', maxresults: '1' })
      if (response.status !== 200 && response.status !== 404) throw (await readErrorResponse(response)).error
      await response.discard()
      return response.status === 200
    },
    list,
    get: async key => {
      const response = await request(`/${key.split('/').map(encodeURIComponent).join('/')}`)
      if (response.status === 404) {
        await response.discard()
        return undefined
      }
      if (response.status !== 200) throw (await readErrorResponse(response)).error
      const etag = unquoted(String(response.headers.etag ?? ''))
      return { content: await response.bytes(bucketLimits.maxObjectBytes), etag }
    },
    close: opened.close,
  }
}

const unquoted = (etag: string): string => etag.replace(/^"|"$/g, '')

/** Azure's signature of a request with an account key (Shared Key). */
const sharedKey = (url: URL, headers: Readonly<Record<string, string>>, key: string): string => {
  const account = url.hostname.split('.')[0]!
  const own = Object.keys(headers)
    .filter(name => name.startsWith('x-ms-'))
    .sort()
    .map(name => `${name}:${headers[name]}\n`)
  const query = [...url.searchParams]
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, value]) => `\n${name}:${value}`)
  const unused = '\n'.repeat(11) // the standard headers between the verb and x-ms-*, none of which is sent
  const signed = `GET${unused}\n${own.join('')}/${account}${url.pathname}${query.join('')}`
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(signed).digest('base64')
  return `SharedKey ${account}:${signature}`
}
