import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import Provider, { type Configuration, type JWK } from 'oidc-provider'
import { certificateAuthority } from './certificates.ts'
import { endWithTest } from './teardown.ts'

/** A real OpenID Connect provider (panva's oidc-provider) over TLS on loopback. Whoever logs in with any password is who they say. */
export interface OidcProvider extends AsyncDisposable {
  /** `https://127.0.0.1:<port>` */
  readonly issuer: string
  /** PEM of the authority of its certificate. */
  readonly ca: string
  /** A token that it could have issued: signed with its key, with any claims; for `keelson` and an hour unless they say otherwise. */
  token(claims: Readonly<Record<string, unknown>>): Promise<string>
  /** Replaces its key by a new one. */
  rotate(): void
  /** Refuses connections, until it is started again. */
  stop(): Promise<void>
  start(): Promise<void>
  /** How many requests it has had for this path. */
  asked(path: string): number
  /** Leads back to this address as well, from now on. */
  leadBackTo(redirectUri: string): void
}

export interface OidcProviderOptions {
  /** Claims of users besides `sub`, by their names; of `userinfo` and ID tokens. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Seconds that an ID token lives. */
  readonly idTokenSeconds?: number
  /** Listens only when `start` is called. */
  readonly stopped?: boolean
}

interface SigningKey {
  readonly jwk: JWK
  readonly sign: (token: SignJWT) => Promise<string>
}

/** A provider which goes when the test ends; its client is `keelson`, without a secret. */
export const oidcProvider = async (options: OidcProviderOptions = {}): Promise<OidcProvider> => {
  const { stopped = false } = options
  const { ca, issue } = certificateAuthority('Login')
  const counts = new Map<string, number>()
  let key = newKey()
  const redirectUris = ['http://127.0.0.1/callback', 'http://127.0.0.1/console/callback']
  let handle: ReturnType<Provider['callback']> | undefined
  const server = createServer(issue('login'), (request, response) => {
    const path = new URL(request.url ?? '/', 'https://x').pathname
    counts.set(path, (counts.get(path) ?? 0) + 1)
    void handle?.(request, response)
  })
  const listen = (port: number) => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const issuer = `https://127.0.0.1:${port}`
  const provide = () => {
    const provider = new Provider(issuer, configurationOf(key.jwk, options, redirectUris))
    handle = provider.callback()
  }
  provide()
  const stop = async () => {
    if (!server.listening) return
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  if (stopped) await stop()
  return endWithTest({
    issuer,
    ca,
    token: async claims => {
      const now = Math.floor(Date.now() / 1000)
      const all = { iss: issuer, aud: 'keelson', iat: now, exp: now + 3600, jti: randomUUID(), ...claims }
      return key.sign(new SignJWT(all))
    },
    rotate: () => {
      key = newKey()
      provide()
    },
    stop,
    start: () => listen(port),
    asked: path => counts.get(path) ?? 0,
    leadBackTo: redirectUri => {
      redirectUris.push(redirectUri)
      provide()
    },
    [Symbol.asyncDispose]: stop,
  })
}

const newKey = (): SigningKey => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomUUID()
  return {
    jwk: { ...(privateKey.export({ format: 'jwk' }) as JWK), kid, alg: 'RS256', use: 'sig' },
    sign: token => token.setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey),
  }
}

const configurationOf = (
  jwk: JWK,
  { users = {}, idTokenSeconds = 3600 }: OidcProviderOptions,
  redirectUris: readonly string[],
): Configuration => ({
  jwks: { keys: [jwk] },
  clients: [
    {
      client_id: 'keelson',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      redirect_uris: [...redirectUris],
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    },
  ],
  scopes: ['openid', 'offline_access', 'email', 'groups'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  conformIdTokenClaims: false,
  findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId, ...users[accountId] }) }),
  features: { devInteractions: { enabled: true }, deviceFlow: { enabled: true } },
  pkce: { required: () => true },
  issueRefreshToken: async () => true,
  ttl: {
    IdToken: idTokenSeconds,
    AccessToken: 3600,
    RefreshToken: 86_400,
    DeviceCode: 600,
    Interaction: 600,
    Session: 600,
    Grant: 86_400,
  },
  cookies: { keys: ['a test has no secrets'] },
})
