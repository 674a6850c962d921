import type { HttpRequest, HttpResponse, SendRequest } from '../../platform/http/http-client.ts'
import { type Access, type AuthorizationRequest, authorize, forgetToken } from './authorize.ts'
import { parseChallenge } from './challenge.ts'
import type { RegistryCredentials } from './docker-config.ts'
import { isLocal, type RepositoryName } from './image-name.ts'
import { OciError } from './oci-error.ts'
import type { Registry, RegistryMemory } from './registry-memory.ts'

export interface SessionOptions {
  readonly repository: RepositoryName
  /** May be asked without TLS. */
  readonly insecure: boolean
  readonly credentials?: RegistryCredentials
  readonly exchange: SendRequest
  readonly memory: RegistryMemory
  now(): number
}

export interface RegistryRequest extends Omit<HttpRequest, 'url'> {
  /** Below `/v2/<repository>`, or an address that the registry gave. */
  readonly path: string | URL
  readonly access?: Access
}

/** Sends requests about one repository, with what the registry asks for to prove who asks. */
export interface RegistrySession {
  send(request: RegistryRequest): Promise<HttpResponse>
}

export const registrySession = (options: SessionOptions): RegistrySession => {
  const { repository, insecure, credentials, exchange, memory, now } = options
  const { registry, path: name } = repository
  const mayBePlain = insecure || isLocal(registry)
  const key = `${registry} ${mayBePlain}`

  /** Greets a registry that was not met before: only those that may lack TLS, as others are asked right away. */
  const meet = async (): Promise<Registry> => {
    const known = memory.registries.get(key)
    if (known) return known
    const met = mayBePlain ? await greet() : ({ scheme: 'https' } as const)
    if (mayBePlain) memory.registries.set(key, met)
    return met
  }

  const greet = async (): Promise<Registry> => {
    const failures: string[] = []
    for (const scheme of ['https', 'http'] as const) {
      try {
        const answer = await exchange({ url: new URL(`${scheme}://${registry}/v2/`) })
        await answer.discard()
        return { scheme, ...challengeOf(answer) }
      } catch (error) {
        if (!(error instanceof OciError) || error.code !== 'unreachable') throw error
        failures.push(error.message)
      }
    }
    throw new OciError('unreachable', failures.join('; '))
  }

  const send = async ({ path, access = 'pull', ...request }: RegistryRequest): Promise<HttpResponse> => {
    const isNew = memory.registries.get(key) === undefined
    const { scheme, challenge } = await meet()
    const isPlain = scheme === 'http'
    const authorization: AuthorizationRequest = { registry, repository: name, access, credentials, isPlain }
    const url = typeof path === 'string' ? new URL(`${scheme}://${registry}/v2/${name}${path}`) : path
    const isHome = url.origin === new URL(`${scheme}://${registry}`).origin
    const attempt = async (asked: Registry['challenge']): Promise<HttpResponse> => {
      const proof = isHome && asked && (await authorize(asked, authorization, memory, exchange, now))
      const headers = { ...request.headers, ...(proof && { authorization: proof }) }
      return exchange({ ...request, url, headers })
    }
    const answer = await attempt(challenge ?? (credentials?.registryToken ? { scheme: 'basic' } : undefined)).catch(
      error => {
        memory.registries.forget(key)
        throw isNew && !mayBePlain ? asGreeting(error, registry) : error
      },
    )
    const isTurnedAway = answer.status === 401 && answer.url.origin === url.origin && isHome
    if (!isTurnedAway) {
      if (isNew && isHome && answer.status < 400) memory.registries.set(key, { scheme })
      return answer
    }
    const asked = challengeOf(answer).challenge
    if (!asked) return answer
    if (challenge) forgetToken(challenge, authorization, memory)
    memory.registries.set(key, { scheme, challenge: asked })
    const hasMore = asked.scheme === 'bearer' || (!challenge && credentials?.username !== undefined)
    if (!hasMore) return answer
    await answer.discard()
    return attempt(asked)
  }

  return { send }
}

const challengeOf = ({ headers }: HttpResponse): Pick<Registry, 'challenge'> => {
  const header = headers['www-authenticate']
  const challenge = header && parseChallenge(Array.isArray(header) ? header.join(', ') : header)
  return challenge ? { challenge } : {}
}

/** A registry that does not answer at all: go-containerregistry would have noticed at its greeting. */
const asGreeting = (error: unknown, registry: string): unknown => {
  if (!(error instanceof OciError) || error.code !== 'unreachable') return error
  const reason = error.message.replace(/^\w+ "[^"]*": /, '')
  return new OciError('unreachable', `Get "https://${registry}/v2/": ${reason}`, { cause: error.cause })
}
