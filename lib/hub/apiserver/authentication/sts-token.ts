/** The token does not authenticate its caller to this hub. The message says why, and quotes nothing of the token. */
export class TokenRefused extends Error {
  constructor(why: string) {
    super(`token refused: ${why}`)
    this.name = 'TokenRefused'
  }
}

/** A request to STS that only the owner of the identity could have signed. */
export interface PresignedIdentity {
  readonly url: string
  /** When it expires, in milliseconds since the epoch. */
  readonly expiresAt: number
}

const tokenPrefix = 'k8s-aws-v1.'
/** The header that binds a token to one cluster or hub: it is signed, and its value is the cluster's name. */
export const clusterHeader = 'x-k8s-aws-id'

/** STS accepts a signature for this long, whatever X-Amz-Expires says. */
const lifetimeMs = 15 * 60_000
/** Allowed clock difference, as in STS. */
const skewMs = 5 * 60_000
const maxTokenLength = 8192
const maxExpirySeconds = 900

/** The parameters of a presigned GetCallerIdentity, with the format of those that are not checked individually. */
const parameters: Readonly<Record<string, RegExp>> = {
  Action: /^GetCallerIdentity$/,
  Version: /^2011-06-15$/,
  'X-Amz-Algorithm': /^AWS4-HMAC-SHA256$/,
  'X-Amz-Credential': /^[A-Z0-9]{1,128}\/\d{8}\/[a-z0-9-]{1,64}\/sts\/aws4_request$/i,
  'X-Amz-Date': /^\d{8}T\d{6}Z$/,
  'X-Amz-Expires': /^\d{1,4}$/,
  'X-Amz-SignedHeaders': /^[a-z0-9;-]{1,256}$/,
  'X-Amz-Signature': /^[0-9a-f]{64}$/,
}
const optionalParameters: ReadonlySet<string> = new Set(['X-Amz-Security-Token'])

/**
 * Parses a token from `aws eks get-token`: `k8s-aws-v1.` and a presigned STS GetCallerIdentity in base64url. As the hub calls the URL, it
 * must be exactly that request to the given STS (`https://sts.eu-west-1.amazonaws.com`). Only STS knows whether the signature is valid
 * and was made for this hub. Fails with TokenRefused.
 */
export const readStsToken = (token: string, stsOrigin: string, now: number): PresignedIdentity => {
  const url = urlIn(token)
  if (url.origin !== new URL(stsOrigin).origin)
    throw new TokenRefused(`it is not for the STS of this hub, ${stsOrigin}`)
  if (url.username || url.password || url.hash)
    throw new TokenRefused('its URL contains more than host, path and query')
  if (url.pathname !== '/') throw new TokenRefused('the path of its URL is not /')
  const query = queryOf(url)
  requireSignedHeaders(query['X-Amz-SignedHeaders']!)
  const expires = Number(query['X-Amz-Expires'])
  if (expires < 1 || expires > maxExpirySeconds) throw new TokenRefused(`X-Amz-Expires is not 1 to ${maxExpirySeconds}`)
  return { url: url.href, expiresAt: expiryOf(query['X-Amz-Date']!, now) }
}

const urlIn = (token: string): URL => {
  if (!token.startsWith(tokenPrefix)) throw new TokenRefused(`it does not begin with ${tokenPrefix}`)
  if (token.length > maxTokenLength) throw new TokenRefused(`it is longer than ${maxTokenLength} characters`)
  const encoded = token.slice(tokenPrefix.length)
  if (!/^[\w-]+$/.test(encoded)) throw new TokenRefused('it is not base64url without padding')
  const text = Buffer.from(encoded, 'base64url').toString('latin1')
  // Anything that a URL parser would repair or drop was not part of a signed request.
  if (!/^https?:\/\/[!-~]+$/.test(text) || /[\\<>"^`{|}]/.test(text) || !URL.canParse(text))
    throw new TokenRefused('it does not contain a URL')
  return new URL(text)
}

const queryOf = (url: URL): Readonly<Record<string, string>> => {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of url.searchParams) {
    if (!Object.hasOwn(parameters, name) && !optionalParameters.has(name))
      throw new TokenRefused('its URL has a parameter that GetCallerIdentity does not have')
    if (name in query) throw new TokenRefused(`${name} is given twice`)
    query[name] = value
  }
  for (const [name, form] of Object.entries(parameters))
    if (!form.test(query[name] ?? '')) throw new TokenRefused(`${name} is missing or invalid`)
  return query
}

/** Other headers could not be sent: their values are unknown. */
const requireSignedHeaders = (names: string): void => {
  const signed = names.split(';').sort()
  if (signed.length !== 2 || signed[0] !== 'host' || signed[1] !== clusterHeader)
    throw new TokenRefused(`the signed headers are not host and ${clusterHeader}`)
}

const expiryOf = (date: string, now: number): number => {
  const [, year, month, day, hour, minute, second] = /^(....)(..)(..)T(..)(..)(..)Z$/.exec(date) ?? []
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(signedAt)) throw new TokenRefused('X-Amz-Date is not a date')
  if (signedAt > now + skewMs) throw new TokenRefused('it was signed in the future: the clocks differ')
  const expiresAt = signedAt + lifetimeMs
  if (expiresAt <= now) throw new TokenRefused('it has expired')
  return expiresAt
}
