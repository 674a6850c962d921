import { createHash } from 'node:crypto'
import type { SendRequest } from '../../platform/http/http-client.ts'
import type { Challenge } from './challenge.ts'
import type { RegistryCredentials } from './docker-config.ts'
import { responseError } from './error-response.ts'
import { OciError } from './oci-error.ts'
import type { RegistryCache } from './registry-cache.ts'

/** The access to a repository. */
export type Access = 'pull' | 'pull,push'

export interface AuthorizationRequest {
  readonly registry: string
  readonly repository: string
  readonly access: Access
  readonly credentials: RegistryCredentials | undefined
  /** The registry has no TLS, so its token service may lack it too. */
  readonly isPlain: boolean
}

const MAX_RESPONSE_BYTES = 1 << 20

/** Default lifetime of registry tokens; they are renewed this long before they expire. */
const defaultLifeMs = 60_000
const marginMs = 10_000

/**
 * The Authorization header for a challenge: the credentials themselves, or a token from the registry's token service
 * (anonymous for public repositories).
 */
export const authorize = async (
  challenge: Challenge,
  request: AuthorizationRequest,
  { tokens }: RegistryCache,
  send: SendRequest,
  now: () => number,
): Promise<string | undefined> => {
  const { credentials } = request
  if (credentials?.registryToken) return `Bearer ${credentials.registryToken}`
  if (challenge.scheme === 'basic') return basicOf(credentials)
  const key = keyOf(challenge, request)
  const cached = tokens.get(key)
  if (cached && now() < cached.validUntil) return cached.authorization
  const { token, lifeMs } = await fetchToken(challenge, request, send)
  const authorization = `Bearer ${token}`
  tokens.set(key, { authorization, validUntil: now() + Math.max(lifeMs - marginMs, lifeMs / 2) })
  return authorization
}

/** Drops a token that was refused. */
export const forgetToken = (challenge: Challenge, request: AuthorizationRequest, { tokens }: RegistryCache): void =>
  tokens.delete(keyOf(challenge, request))

const basicOf = (credentials: RegistryCredentials | undefined): string | undefined => {
  if (credentials?.username === undefined) return undefined
  return `Basic ${Buffer.from(`${credentials.username}:${credentials.password ?? ''}`).toString('base64')}`
}

const scopeOf = ({ repository, access }: AuthorizationRequest): string => `repository:${repository}:${access}`

/** Tokens are cached separately for each set of credentials. */
const keyOf = (challenge: Challenge, request: AuthorizationRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([request.registry, challenge, scopeOf(request), request.credentials ?? null]))
    .digest('base64')

const fetchToken = async (
  { realm, service }: Extract<Challenge, { scheme: 'bearer' }>,
  request: AuthorizationRequest,
  send: SendRequest,
): Promise<{ readonly token: string; readonly lifeMs: number }> => {
  const url = URL.parse(realm)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new OciError('protocol', `${request.registry} names a token service with an invalid URL`)
  }
  if (url.protocol === 'http:' && !request.isPlain && request.credentials) {
    throw new OciError(
      'protocol',
      `${request.registry} names a token service without TLS, to which credentials are not sent`,
    )
  }
  const response = request.credentials?.identityToken
    ? await send({ url, ...refreshRequest(request, service) })
    : await send({ url: withQuery(url, request, service), headers: basicHeader(request.credentials) })
  const body = await response.bytes(MAX_RESPONSE_BYTES)
  if (response.status !== 200)
    throw responseError(response.method, response.url, response.status, body, response.headers)
  return readToken(body, request.registry)
}

const withQuery = (realm: URL, request: AuthorizationRequest, service: string | undefined): URL => {
  const url = new URL(realm)
  url.searchParams.append('scope', scopeOf(request))
  if (service) url.searchParams.append('service', service)
  return url
}

const basicHeader = (credentials: RegistryCredentials | undefined): Record<string, string> => {
  const authorization = basicOf(credentials)
  return authorization ? { authorization } : {}
}

/** As docker does: OAuth 2 with the identity token as refresh token. */
const refreshRequest = (request: AuthorizationRequest, service: string | undefined) => ({
  method: 'POST' as const,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(
    new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: request.credentials?.identityToken ?? '',
      scope: scopeOf(request),
      client_id: 'keelson',
      ...(service && { service }),
    }).toString(),
  ),
})

const readToken = (body: Uint8Array, registry: string) => {
  const { token, access_token, expires_in } = parse(body)
  const value = token || access_token
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) {
    throw new OciError('protocol', `the token service of ${registry} returned no token`)
  }
  const seconds = typeof expires_in === 'number' && expires_in > 0 ? expires_in : defaultLifeMs / 1000
  return { token: value, lifeMs: seconds * 1000 }
}

const parse = (body: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
