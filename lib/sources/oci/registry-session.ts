import type { HttpRequest, HttpResponse, SendRequest } from '../../platform/http/http-client.ts'
import { type Access, type AuthorizationRequest, authorize, forgetToken } from './authorize.ts'
import { parseChallenge } from './challenge.ts'
import type { RegistryCredentials } from './docker-config.ts'
import { isLocal, type RepositoryName } from './image-name.ts'
import { OciError } from './oci-error.ts'
import type { Registry, RegistryCache } from './registry-cache.ts'

export interface SessionOptions {
  readonly repository: RepositoryName
  /** May be contacted without TLS. */
  readonly insecure: boolean
  readonly credentials?: RegistryCredentials
  readonly request: SendRequest
  readonly cache: RegistryCache
  now(): number
}

export interface RegistryRequest extends Omit<HttpRequest, 'url'> {
  /** Below `/v2/<repository>`, or a URL from the registry. */
  readonly path: string | URL
  readonly access?: Access
}

/** Sends requests for one repository, and authenticates as the registry requires. */
export interface RegistrySession {
  send(request: RegistryRequest): Promise<HttpResponse>
}

/**
 * Sends over HTTPS, or over HTTP where that is allowed and HTTPS doesn't respond. A request is repeated with a token
 * once the registry requires one.
 */
export const registrySession = (options: SessionOptions): RegistrySession => {
  const { repository, insecure, credentials, request, cache, now } = options
  const { registry, path: name } = repository
  const mayBePlain = insecure || isLocal(registry)
  const key = `${registry} ${mayBePlain}`

  /** Pings a new registry that may lack TLS; others receive the request at once. */
  const connect = async (): Promise<Registry> => {
    const known = cache.registries.get(key)
    if (known) return known
    const found = mayBePlain ? await ping() : ({ scheme: 'https' } as const)
    if (mayBePlain) cache.registries.set(key, found)
    return found
  }

  const ping = async (): Promise<Registry> => {
    const failures: string[] = []
    for (const scheme of ['https', 'http'] as const) {
      try {
        const response = await request({ url: new URL(`${scheme}://${registry}/v2/`) })
        await response.discard()
        return { scheme, ...challengeOf(response) }
      } catch (error) {
        if (!(error instanceof OciError) || error.code !== 'unreachable') throw error
        failures.push(error.message)
      }
    }
    throw new OciError('unreachable', failures.join('; '))
  }

  const send = async ({ path, access = 'pull', ...message }: RegistryRequest): Promise<HttpResponse> => {
    const isNew = cache.registries.get(key) === undefined
    const { scheme, challenge } = await connect()
    const isPlain = scheme === 'http'
    const authorization: AuthorizationRequest = { registry, repository: name, access, credentials, isPlain }
    const url = typeof path === 'string' ? new URL(`${scheme}://${registry}/v2/${name}${path}`) : path
    const isRegistry = url.origin === new URL(`${scheme}://${registry}`).origin
    const attempt = async (challenged: Registry['challenge']): Promise<HttpResponse> => {
      const header = isRegistry && challenged && (await authorize(challenged, authorization, cache, request, now))
      const headers = { ...message.headers, ...(header && { authorization: header }) }
      return request({ ...message, url, headers })
    }
    const response = await attempt(challenge ?? (credentials?.registryToken ? { scheme: 'basic' } : undefined)).catch(
      error => {
        cache.registries.delete(key)
        throw isNew && !mayBePlain ? asPingError(error, registry) : error
      },
    )
    const isRefused = response.status === 401 && response.url.origin === url.origin && isRegistry
    if (!isRefused) {
      if (isNew && isRegistry && response.status < 400) cache.registries.set(key, { scheme })
      return response
    }
    const challenged = challengeOf(response).challenge
    if (!challenged) return response
    if (challenge) forgetToken(challenge, authorization, cache)
    cache.registries.set(key, { scheme, challenge: challenged })
    const hasMore = challenged.scheme === 'bearer' || (!challenge && credentials?.username !== undefined)
    if (!hasMore) return response
    await response.discard()
    return attempt(challenged)
  }

  return { send }
}

const challengeOf = ({ headers }: HttpResponse): Pick<Registry, 'challenge'> => {
  const header = headers['www-authenticate']
  const challenge = header && parseChallenge(Array.isArray(header) ? header.join(', ') : header)
  return challenge ? { challenge } : {}
}

/** For an unreachable registry, the error of go-containerregistry's ping. */
const asPingError = (error: unknown, registry: string): unknown => {
  if (!(error instanceof OciError) || error.code !== 'unreachable') return error
  const reason = error.message.replace(/^\w+ "[^"]*": /, '')
  return new OciError('unreachable', `Get "https://${registry}/v2/": ${reason}`, { cause: error.cause })
}
