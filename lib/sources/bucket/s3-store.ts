import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { BucketError, type BucketObject, type BucketStore, bucketLimits } from './bucket-store.ts'
import { bucketHttp, readErrorResponse } from './error-response.ts'
import { xmlElements, xmlText } from './xml-fields.ts'

export interface S3StoreOptions extends ConnectionOptions {
  /** Host and optional port. */
  readonly endpoint: string
  readonly bucket: string
  /** If '', the region that the server reports. */
  readonly region: string
  readonly insecure: boolean
  /** Anonymous if absent. Called before each request. */
  readonly credentials?: () => Promise<AwsCredentials>
  readonly signal: AbortSignal
}

const defaultRegion = 'us-east-1'

/** A bucket of an S3-compatible store. Signs requests (Signature Version 4) unless there are no credentials. */
export const s3Store = (options: S3StoreOptions, connections: Connections, clock: { now(): number }): BucketStore => {
  const { bucket, credentials, signal, insecure, endpoint, ...connection } = options
  const opened = connections.open(connection)
  const exchange = bucketHttp(opened.agent, signal)
  let region = options.region || regionOf(endpoint) || defaultRegion

  const urlOf = (key: string, query: Readonly<Record<string, string>> = {}): URL => {
    const host = endpoint === 's3.amazonaws.com' ? `s3.${region}.amazonaws.com` : endpoint
    const isAmazon = /(^|\.)amazonaws\.com(\.cn)?$/.test(host) && !bucket.includes('.')
    const path = [...(isAmazon ? [] : [bucket]), ...key.split('/')].map(encode).join('/')
    const url = new URL(`${insecure ? 'http' : 'https'}://${isAmazon ? `${bucket}.` : ''}${host}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }

  const send = async (
    method: 'GET' | 'HEAD',
    key: string,
    query?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> => {
    const url = urlOf(key, query)
    const keys = await credentials?.()
    const headers = keys
      ? await signRequest({ method, url: url.href }, keys, { service: 's3', region, now: clock.now() })
      : {}
    return exchange({ url, method, headers: withoutHost(headers) })
  }

  /** If no region is configured, reads it from the first error response. */
  const request = async (
    method: 'GET' | 'HEAD',
    key: string,
    query?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> => {
    const response = await send(method, key, query)
    const named = response.headers['x-amz-bucket-region']
    const isOtherRegion =
      [301, 307, 400, 403].includes(response.status) && typeof named === 'string' && named !== region
    if (!isOtherRegion || options.region) return response
    await response.discard()
    region = named
    return send(method, key, query)
  }

  const exists = async (): Promise<boolean> => {
    const response = await request('HEAD', '')
    await response.discard()
    if (response.status === 404) return false
    if (response.status === 200) return true
    // The response to a HEAD has no body to explain an error.
    throw (await readErrorResponse(await request('GET', '', { 'max-keys': '1', 'list-type': '2' }))).error
  }

  const page = async (prefix: string, token: string): Promise<string> => {
    const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...(token && { 'continuation-token': token }) }
    const response = await request('GET', '', query)
    if (response.status !== 200) throw (await readErrorResponse(response)).error
    return (await response.bytes(bucketLimits.maxPageBytes)).toString('utf8')
  }

  async function* list(prefix: string): AsyncGenerator<BucketObject> {
    for (let token = ''; ; ) {
      const xml = await page(prefix, token)
      for (const entry of xmlElements(xml, 'Contents')) {
        yield { key: decodeKey(xmlText(entry, 'Key')), etag: unquoted(xmlText(entry, 'ETag')) }
      }
      const next = xmlText(xml, 'NextContinuationToken')
      if (xmlText(xml, 'IsTruncated') !== 'true' || next === '' || next === token) return
      token = next
    }
  }

  const get = async (key: string) => {
    const response = await request('GET', key)
    if (response.status === 200) {
      return {
        content: await response.bytes(bucketLimits.maxObjectBytes),
        etag: unquoted(String(response.headers.etag ?? '')),
      }
    }
    const { code, error } = await readErrorResponse(response)
    if (code === 'NoSuchKey' || (response.status === 404 && code === '')) return undefined
    throw error
  }

  return { exists, list, get, close: opened.close }
}

/** The connection sets the host header. */
const withoutHost = ({ host, ...headers }: Readonly<Record<string, string>>): Record<string, string> => headers

const regionOf = (endpoint: string): string => /^s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(endpoint)?.[1] ?? ''

const unquoted = (etag: string): string => etag.replace(/^W\//, '').replace(/^"|"$/g, '')

/** Percent-encodes as S3 requires: everything except the unreserved characters of RFC 3986. */
const encode = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const decodeKey = (key: string): string => {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    throw new BucketError('protocol', 'the listing contains a name that is not percent-encoded correctly')
  }
}
