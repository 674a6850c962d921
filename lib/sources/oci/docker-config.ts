import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { RepositoryName } from './image-name.ts'
import { nameOf } from './image-name.ts'

/** How requests to a registry authenticate. */
export interface RegistryCredentials {
  readonly username?: string
  readonly password?: string
  /** Exchanged for tokens at the registry's token service (OAuth 2 refresh token). */
  readonly identityToken?: string
  /** Sent as a bearer token. */
  readonly registryToken?: string
}

/** A docker configuration that can't be used. The message quotes nothing from it. */
export class InvalidDockerConfig extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidDockerConfig'
  }
}

/** Credentials by scope: a host and an optional path prefix, both with `*`. Longer scopes come first. */
export type Keyring = readonly { readonly scope: string; readonly credentials: RegistryCredentials }[]

/**
 * Reads image pull secrets: `.dockerconfigjson` (entries below `auths`) or the older `.dockercfg` (entries at the top
 * level). Fails with InvalidDockerConfig.
 */
export const readKeyring = (configs: readonly { readonly text: string; readonly isOld?: boolean }[]): Keyring =>
  configs
    .flatMap(({ text, isOld = false }) => entriesOf(text, isOld))
    .sort((a, b) => (a.scope < b.scope ? 1 : a.scope > b.scope ? -1 : 0))

const entriesOf = (text: string, isOld: boolean): Keyring => {
  const config = objectOf(parseJson(text))
  const entries = isOld ? config : objectOf(config.auths ?? {})
  return Object.entries(entries).map(([address, entry]) => ({
    scope: scopeOf(address),
    credentials: credentialsOf(objectOf(entry)),
  }))
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new InvalidDockerConfig('the docker configuration is not JSON')
  }
}

const objectOf = (value: unknown): JsonObject => {
  if (isObject(value)) return value
  throw new InvalidDockerConfig('a field of the docker configuration is not an object')
}

/** `https://host/v1/` and `host` are equivalent. */
const scopeOf = (address: string): string => {
  const [, host, path = ''] = /^(?:https?:\/\/)?([^/?#\s]+)(\/[^?#\s]*)?$/.exec(address) ?? []
  if (!host) throw new InvalidDockerConfig('the docker configuration has an entry whose name is not an address')
  const below = path.replace(/^\/v[12]\//, '/')
  return host + (below === '/' ? '' : below)
}

const credentialsOf = ({ auth, username, password, identitytoken, registrytoken }: JsonObject): RegistryCredentials => {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
  const [user, secret] = text(auth) ? decodeAuth(text(auth)!) : [text(username), text(password)]
  return {
    ...(user !== undefined && { username: user }),
    ...(secret !== undefined && { password: secret }),
    ...(text(identitytoken) && { identityToken: text(identitytoken)! }),
    ...(text(registrytoken) && { registryToken: text(registrytoken)! }),
  }
}

const decodeAuth = (auth: string): [string, string] => {
  const plain = Buffer.from(auth, 'base64').toString('utf8')
  const colon = plain.indexOf(':')
  if (colon < 0) throw new InvalidDockerConfig('the docker configuration has an `auth` that is not `<user>:<password>`')
  return [plain.slice(0, colon), plain.slice(colon + 1).replace(/\0+$/, '')]
}

/** The credentials for a repository, from the most specific entry. */
export const findCredentials = (keyring: Keyring, repository: RepositoryName): RegistryCredentials | undefined =>
  keyring.find(({ scope }) => isInScope(scope, nameOf(repository)))?.credentials

/**
 * Matches like Kubernetes' image pull secrets: equal ports, hosts label by label with `*` within a label, and a path
 * prefix.
 */
const isInScope = (scope: string, name: string): boolean => {
  const [ours, theirs] = [split(scope), split(name)]
  return (
    ours.port === theirs.port &&
    ours.parts.length === theirs.parts.length &&
    ours.parts.every((part, index) => matchesPattern(part, theirs.parts[index]!)) &&
    theirs.path.startsWith(ours.path)
  )
}

const split = (address: string) => {
  const slash = address.indexOf('/')
  const host = slash < 0 ? address : address.slice(0, slash)
  const [, bare = host, port = ''] = /^(.*?)(?::([0-9]+))?$/.exec(host) ?? []
  return { parts: bare.split('.'), port, path: slash < 0 ? '' : address.slice(slash) }
}

/** Matches `*` as any characters, in linear time: backtracks only to the last star. */
const matchesPattern = (pattern: string, text: string): boolean => {
  const pieces = pattern.split('*')
  if (pieces.length === 1) return pattern === text
  const [first = '', last = ''] = [pieces.shift(), pieces.pop()]
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  const end = text.length - last.length
  return pieces.every(piece => {
    const found = text.slice(0, end).indexOf(piece, at)
    at = found + piece.length
    return found >= 0
  })
}
