import { isObject } from '../../foundations/kinds/json-object.ts'
import { InvalidSecret, type SecretContent, secretText } from '../../platform/http/connection-secrets.ts'
import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { ForgeError } from './forge.ts'
import { jsonApi } from './json-api.ts'

export type ServiceCredentials =
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }

/** Reads `token`, or `username` and `password`. Fails with InvalidSecret. */
export const readServiceCredentials = (secret: SecretContent): ServiceCredentials => {
  const text = (key: string) => secretText(secret, key).trim()
  const token = text('token')
  if (token) return { type: 'bearer', token }
  const [username, password] = [text('username'), text('password')]
  if (username && password) return { type: 'basic', username, password }
  throw new InvalidSecret(`secret '${secret.name}' must contain either 'token' or both 'username' and 'password'`)
}

const maxBytes = 900 * 1024

interface Options {
  readonly url: URL
  readonly credentials?: ServiceCredentials
  readonly agent: HttpAgent
  readonly signal: AbortSignal
}

/** Reads the `inputs` from a service's response: objects, each with a unique string `id` (RS-141). */
export const readService = async ({
  url,
  credentials,
  agent,
  signal,
}: Options): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const headers = { ...(credentials && { authorization: authorizationOf(credentials) }) }
  const { body } = await jsonApi({ agent, signal, headers, maxBytes }).get(url)
  const { inputs } = (body ?? {}) as { readonly inputs?: unknown }
  const from = `GET ${url.origin}${url.pathname}`
  if (!Array.isArray(inputs)) throw new ForgeError(`${from}: the response has no list 'inputs'`)
  const ids = new Set<string>()
  for (const [index, set] of inputs.entries()) {
    const id: unknown = isObject(set) ? set.id : undefined
    if (typeof id !== 'string' || id === '')
      throw new ForgeError(`${from}: inputs[${index}] must have an 'id' that is a string`)
    if (ids.has(id)) throw new ForgeError(`${from}: inputs[${index}] has the same id '${id}' as another one`)
    ids.add(id)
  }
  return inputs
}

const authorizationOf = (credentials: ServiceCredentials): string =>
  credentials.type === 'bearer'
    ? `Bearer ${credentials.token}`
    : `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
