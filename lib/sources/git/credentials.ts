import type { TlsOptions } from '../../platform/http/guarded-agent.ts'
import type { SshCredentials } from './ssh/ssh-transport.ts'

/** How to prove to a server who asks. */
export interface GitCredentials {
  /** Value of the Authorization header. */
  readonly authorization?: string
  readonly tls: TlsOptions
  /** For an ssh address, in place of all else. */
  readonly ssh?: SshCredentials
  /** May hold a user and password. */
  readonly proxy?: URL
}

/** The credentials can't be used as they are. */
export class BadCredentials extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadCredentials'
  }
}

/**
 * Reads the Secret of a GitRepository. For an ssh address: `identity`, a private key, with `password` where it has a
 * passphrase, and `known_hosts`. For an http or https address: `username` and `password`, or `bearerToken`, which
 * goes first; `ca.crt` (or the older `caFile`) for the server's authority; `tls.crt` and `tls.key` for the client's own
 * certificate. What the Secret lacks is taken from the address. Fails with BadCredentials, in Flux's words.
 */
export const readCredentials = (url: URL, secret: ReadonlyMap<string, Uint8Array> = new Map()): GitCredentials => {
  const text = (key: string): string => Buffer.from(secret.get(key) ?? []).toString('utf8')
  if (url.protocol === 'ssh:') return { tls: {}, ssh: readSshCredentials(url, text) }
  const token = text('bearerToken')
  const username = (token ? '' : text('username')) || decoded(url.username)
  const password = (token ? '' : text('password')) || decoded(url.password)
  if (!username && password) {
    const scheme = url.protocol.slice(0, -1)
    throw new BadCredentials(`invalid '${scheme}' auth option: 'password' requires 'username' to be set`)
  }
  if (/[^\t\x20-\x7e\x80-\xff]/.test(token)) {
    throw new BadCredentials("'bearerToken' holds a character that no HTTP header may hold, such as a line break")
  }
  if (token && username) throw new BadCredentials('basic auth and bearer token cannot be set at the same time')
  const basic = username && `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const authorization = token ? `Bearer ${token}` : basic
  const [ca, certificate, key] = [text('ca.crt') || text('caFile'), text('tls.crt'), text('tls.key')]
  return {
    ...(authorization && { authorization }),
    tls: { ...(ca && { ca }), ...(certificate && key && { certificate, key }) },
  }
}

/** The user by convention: forges know people by their keys. */
const usualUser = 'git'

const readSshCredentials = (url: URL, text: (key: string) => string): SshCredentials => {
  const [identity, knownHosts, passphrase] = [text('identity'), text('known_hosts'), text('password')]
  for (const [key, value] of Object.entries({ identity, known_hosts: knownHosts })) {
    if (value === '') throw new BadCredentials(`invalid 'ssh' auth option: '${key}' is required`)
  }
  const username = decoded(url.username) || usualUser
  return { username, identity, knownHosts, ...(passphrase && { passphrase }) }
}

const decoded = (userInfo: string): string => {
  try {
    return decodeURIComponent(userInfo)
  } catch {
    throw new BadCredentials('the user or password in the address is not percent-encoded as it should be')
  }
}
