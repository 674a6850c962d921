import type { TlsOptions } from '../../platform/http/guarded-agent.ts'
import type { SshCredentials } from './ssh/ssh-transport.ts'

/** How a request authenticates to a git server. */
export interface GitCredentials {
  /** Value of the Authorization header. */
  readonly authorization?: string
  readonly tls: TlsOptions
  /** For an ssh address; the other fields are then unused. */
  readonly ssh?: SshCredentials
  /** May hold a user and password. */
  readonly proxy?: URL
}

/** The credentials can't be used. */
export class InvalidCredentials extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'InvalidCredentials'
  }
}

/**
 * Reads the Secret of a GitRepository. For an ssh address: `identity`, a private key, with `password` if it has a
 * passphrase, and `known_hosts`. For an http or https address: `bearerToken`, or `username` and `password`, with the
 * address as fallback; `ca.crt` (or the older `caFile`) for the server's authority; `tls.crt` and `tls.key` for the
 * client's own certificate. Fails with InvalidCredentials, in Flux's wording.
 */
export const readCredentials = (url: URL, secret: ReadonlyMap<string, Uint8Array> = new Map()): GitCredentials => {
  const text = (key: string): string => Buffer.from(secret.get(key) ?? []).toString('utf8')
  if (url.protocol === 'ssh:') return { tls: {}, ssh: readSshCredentials(url, text) }
  const token = text('bearerToken')
  const username = (token ? '' : text('username')) || decoded(url.username)
  const password = (token ? '' : text('password')) || decoded(url.password)
  if (!username && password) {
    const scheme = url.protocol.slice(0, -1)
    throw new InvalidCredentials(`invalid '${scheme}' auth option: 'password' requires 'username' to be set`)
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(token)) {
    throw new InvalidCredentials(
      "'bearerToken' contains a character that is not allowed in an HTTP header, such as a line break",
    )
  }
  if (token && username) throw new InvalidCredentials('basic auth and bearer token cannot be set at the same time')
  const basic = username && `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const authorization = token ? `Bearer ${token}` : basic
  const [ca, certificate, key] = [text('ca.crt') || text('caFile'), text('tls.crt'), text('tls.key')]
  return {
    ...(authorization && { authorization }),
    tls: { ...(ca && { ca }), ...(certificate && key && { certificate, key }) },
  }
}

/** The conventional user: forges identify people by their keys. */
const defaultUser = 'git'

const readSshCredentials = (url: URL, text: (key: string) => string): SshCredentials => {
  const [identity, knownHosts, passphrase] = [text('identity'), text('known_hosts'), text('password')]
  for (const [key, value] of Object.entries({ identity, known_hosts: knownHosts })) {
    if (value === '') throw new InvalidCredentials(`invalid 'ssh' auth option: '${key}' is required`)
  }
  const username = decoded(url.username) || defaultUser
  return { username, identity, knownHosts, ...(passphrase && { passphrase }) }
}

const decoded = (userInfo: string): string => {
  try {
    return decodeURIComponent(userInfo)
  } catch {
    throw new InvalidCredentials('the user or password in the address is not percent-encoded correctly')
  }
}
