import type { LoginFetch } from '../../compose/login-fetch.ts'
import type { Terminal } from '../terminal.ts'
import { browserLogin } from './browser-login.ts'
import { deviceLogin } from './device-login.ts'
import { discoverIssuer, type LoginTarget, refresh } from './issuer-client.ts'
import type { TokenCache } from './token-cache.ts'
import { expiryOf, isFresh, type Tokens } from './tokens.ts'

export interface LoginPorts {
  readonly fetch: LoginFetch
  readonly cache: TokenCache
  readonly terminal: Terminal
}

export interface LoginOptions extends LoginTarget {
  /** Log in with a code that is entered on any machine, instead of a browser on this one. */
  readonly device: boolean
  readonly listenPort: number
  /** Whether to open the browser. */
  readonly browser: boolean
  /** Log in even if there are tokens. */
  readonly force: boolean
  /** Time limit in milliseconds. */
  readonly timeout: number
}

/** Returns cached tokens, refreshed ones, or those of a new login, in this order, and caches them. Fails with a CommandFailed. */
export const login = async (options: LoginOptions, { fetch, cache, terminal }: LoginPorts): Promise<Tokens> => {
  const { issuer, force, timeout } = options
  const kept = await cachedTokens(options, { fetch, cache })
  if (kept && !force) return kept
  const client = await discoverIssuer(options, fetch)
  const signal = AbortSignal.timeout(timeout)
  const tokens = options.device
    ? await deviceLogin(client, { issuer, signal }, terminal)
    : await browserLogin(client, { issuer, listenPort: options.listenPort, open: options.browser, signal }, terminal)
  await cache.write(tokens)
  return tokens
}

/** Tokens without a login: from the cache, or with its refresh token. */
const cachedTokens = async (
  options: LoginOptions,
  { fetch, cache }: Pick<LoginPorts, 'fetch' | 'cache'>,
): Promise<Tokens | undefined> => {
  const found = await cache.read()
  if (!found || isFresh(found, Date.now()) || options.force) return found
  return cache.exclusively(async () => {
    // Another process may have refreshed them first.
    const latest = await cache.read()
    if (!latest || isFresh(latest, Date.now())) return latest
    if (!latest.refreshToken) return undefined
    const renewed = await refresh(await discoverIssuer(options, fetch), options.issuer, latest.refreshToken)
    if (renewed) await cache.write(renewed)
    return renewed && expiryOf(renewed) > Date.now() ? renewed : undefined
  })
}
