import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import { signRequest } from '../../platform/cloud/aws/sign-request.ts'
import type { ConnectionOptions, Connections } from '../../platform/http/connections.ts'
import type { HttpResponse } from '../../platform/http/http-client.ts'
import { bucketHttp, readRefusal } from './answer-error.ts'
import { BucketError, type BucketObject, type BucketStore, bucketLimits } from './bucket-store.ts'
import { xmlElements, xmlText } from './xml-fields.ts'

export interface S3StoreOptions extends ConnectionOptions {
  /** Host, and port where there is one. */
  readonly endpoint: string
  readonly bucket: string
  /** '' = whichever the server names. */
  readonly region: string
  readonly insecure: boolean
  /** Absent = anonymous. Asked before each request. */
  readonly credentials?: () => Promise<AwsCredentials>
  readonly signal: AbortSignal
}

const defaultRegion = 'us-east-1'

/** A bucket behind S3's API, wherever it is: requests are signed (Signature Version 4) unless there are no credentials. */
export const s3Store = (options: S3StoreOptions, connections: Connections, clock: { now(): number }): BucketStore => {
  const { bucket, credentials, signal, insecure, endpoint, ...connection } = options
  const wire = connections.open(connection)
  const exchange = bucketHttp(wire.agent, signal)
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

  /** The region is learnt from the first refusal, where nobody has named it. */
  const ask = async (
    method: 'GET' | 'HEAD',
    key: string,
    query?: Readonly<Record<string, string>>,
  ): Promise<HttpResponse> => {
    const answer = await send(method, key, query)
    const named = answer.headers['x-amz-bucket-region']
    const isElsewhere = [301, 307, 400, 403].includes(answer.status) && typeof named === 'string' && named !== region
    if (!isElsewhere || options.region) return answer
    await answer.discard()
    region = named
    return send(method, key, query)
  }

  const exists = async (): Promise<boolean> => {
    const answer = await ask('HEAD', '')
    await answer.discard()
    if (answer.status === 404) return false
    if (answer.status === 200) return true
    // A HEAD says nothing about what is wrong.
    throw (await readRefusal(await ask('GET', '', { 'max-keys': '1', 'list-type': '2' }))).error
  }

  const page = async (prefix: string, token: string): Promise<string> => {
    const query = { 'list-type': '2', 'encoding-type': 'url', prefix, ...(token && { 'continuation-token': token }) }
    const answer = await ask('GET', '', query)
    if (answer.status !== 200) throw (await readRefusal(answer)).error
    return (await answer.bytes(bucketLimits.maxPageBytes)).toString('utf8')
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
    const answer = await ask('GET', key)
    if (answer.status === 200) {
      return {
        content: await answer.bytes(bucketLimits.maxObjectBytes),
        etag: unquoted(String(answer.headers.etag ?? '')),
      }
    }
    const { code, error } = await readRefusal(answer)
    if (code === 'NoSuchKey' || (answer.status === 404 && code === '')) return undefined
    throw error
  }

  return { exists, list, get, close: wire.close }
}

/** The connection says which host it is. */
const withoutHost = ({ host, ...headers }: Readonly<Record<string, string>>): Record<string, string> => headers

const regionOf = (endpoint: string): string => /^s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(endpoint)?.[1] ?? ''

const unquoted = (etag: string): string => etag.replace(/^W\//, '').replace(/^"|"$/g, '')

/** As S3 wants paths: everything but the unreserved characters of RFC 3986. */
const encode = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const decodeKey = (key: string): string => {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    throw new BucketError('protocol', 'the listing holds a name that is not percent-encoded as it should be')
  }
}
