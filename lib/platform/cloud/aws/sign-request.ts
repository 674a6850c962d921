import type { SignatureV4 } from '@smithy/signature-v4'
import type { AwsCredentials } from './credentials.ts'

export interface AwsRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface SigningScope {
  /** The service in the signature: `kms`, `sts`, `s3`. */
  readonly service: string
  readonly region: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** The headers that authorize a request to AWS (Signature Version 4), valid for exactly this method, URL and body. */
export const signRequest = async (
  request: AwsRequest,
  credentials: AwsCredentials,
  scope: SigningScope,
): Promise<Record<string, string>> => {
  const signer = await loadSigner(credentials, scope)
  const { headers } = await signer.sign(unsigned(request), { signingDate: new Date(scope.now) })
  return headers
}

/** A URL that authorizes itself for `expiresInS` seconds. The request must be sent with the same `headers`. */
export const presignUrl = async (
  request: AwsRequest,
  credentials: AwsCredentials,
  { expiresInS, ...scope }: SigningScope & { readonly expiresInS: number },
): Promise<string> => {
  const signer = await loadSigner(credentials, scope)
  const signed = await signer.presign(unsigned(request), {
    expiresIn: expiresInS,
    signingDate: new Date(scope.now),
    unhoistableHeaders: new Set(Object.keys(request.headers ?? {}).map(name => name.toLowerCase())),
  })
  const { protocol, host } = new URL(request.url)
  return `${protocol}//${host}${signed.path}?${queryText(signed.query ?? {})}`
}

/** The library is loaded with the first request: most runners, and many hubs, send none to AWS. */
const loadSigner = async (credentials: AwsCredentials, { service, region }: SigningScope): Promise<SignatureV4> => {
  const { SignatureV4, Sha256 } = await import('./signature.ts')
  return new SignatureV4({ credentials, service, region, sha256: Sha256, uriEscapePath: service !== 's3' })
}

const unsigned = ({ method, url, headers, body }: AwsRequest) => {
  const { protocol, hostname, port, host, pathname, searchParams } = new URL(url)
  const query: Record<string, string | string[]> = Object.create(null)
  for (const name of new Set(searchParams.keys())) query[name] = searchParams.getAll(name)
  return {
    method,
    protocol,
    hostname,
    ...(port && { port: Number(port) }),
    path: pathname,
    query,
    headers: { ...headers, host },
    ...(body !== undefined && { body }),
  }
}

type Query = Readonly<Record<string, string | readonly string[] | null>>

const queryText = (query: Query): string =>
  Object.entries(query)
    .flatMap(([name, values]) => [values ?? ''].flat().map(value => `${encode(name)}=${encode(value)}`))
    .join('&')

/** Escapes everything except the unreserved characters of RFC 3986, as AWS does. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
