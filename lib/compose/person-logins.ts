import type * as oidc from 'openid-client'
import type { PersonLogins } from '../hub/console/oidc-endpoints.ts'
import type { Connections } from '../platform/http/connections.ts'
import { type GuardedFetch, guardedFetch } from '../platform/http/guarded-fetch.ts'
import type { Log } from '../platform/ports/log.ts'
import type { ConsoleLogins } from './console.ts'

/** An issuer of the authentication configuration. The first audience is the ID of the console's client, which is public. */
export interface LoginIssuer {
  readonly url: string
  readonly clientId: string
  /** PEM of the authorities to trust; absent for the public ones. */
  readonly certificateAuthority?: string
}

/** Loaded for the first login: functions start without it. */
const openIdClient = () => import('openid-client')

const scopes = ['email', 'profile', 'groups']

/** Logins at the issuers whose tokens the hub accepts at the moment. */
const personLogins = (issuers: () => readonly LoginIssuer[], connections: Pick<Connections, 'open'>): PersonLogins => {
  const discovered = new Map<string, Promise<oidc.Configuration>>()

  const discover = async ({ url, clientId, certificateAuthority: ca }: LoginIssuer): Promise<oidc.Configuration> => {
    const opened = connections.open(ca ? { tls: { ca, onlyCa: true } } : {})
    const { discovery, None, customFetch } = await openIdClient()
    return discovery(new URL(url), clientId, undefined, None(), {
      [customFetch]: fetchOver(guardedFetch({ open: () => opened })),
    })
  }
  const configurationOf = (url: string): Promise<oidc.Configuration> => {
    const issuer = issuers().find(known => known.url === url)
    if (!issuer) throw new Error(`${url} is not an issuer of the authentication configuration`)
    const key = JSON.stringify(issuer)
    const known = discovered.get(key) ?? discover(issuer)
    discovered.set(key, known)
    known.catch(() => discovered.delete(key))
    return known
  }
  return {
    issuers: () => issuers().map(({ url }) => url),
    begin: async (issuer, redirectUri) => {
      const [oidc, configuration] = await Promise.all([openIdClient(), configurationOf(issuer)])
      const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
      const offered = configuration.serverMetadata().scopes_supported ?? []
      const url = oidc.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUri, state, nonce, code_challenge_method: 'S256' },
        scope: ['openid', ...scopes.filter(name => offered.includes(name))].join(' '),
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      })
      return { url: url.href, checks: { issuer, state, nonce, verifier, redirectUri } }
    },
    finish: async ({ issuer, state, nonce, verifier, redirectUri }, { search }) => {
      const [{ authorizationCodeGrant }, configuration] = await Promise.all([openIdClient(), configurationOf(issuer)])
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
      const tokens = await authorizationCodeGrant(configuration, new URL(redirectUri + search), checks)
      if (!tokens.id_token) throw new Error(`${issuer} sends no ID token`)
      return tokens.id_token
    },
  }
}

const fetchOver =
  (fetch: GuardedFetch): oidc.CustomFetch =>
  (url, { body, method, headers, signal }) =>
    fetch(url, { method, headers, ...(body != null && { body: String(body) }), signal: signal ?? null })

/** Logins to the console at the issuers of an authentication configuration, as they are at the moment. */
export const consoleLogins = (
  issuers: () => readonly LoginIssuer[],
  connections: Pick<Connections, 'open'>,
  log: Pick<Log, 'error'>,
): ConsoleLogins => ({
  logins: personLogins(issuers, connections),
  onFailure: (issuer, error) => log.error('a login to the console failed', { issuer, error }),
})
