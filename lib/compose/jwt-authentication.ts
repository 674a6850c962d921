import type { Authenticate } from '../hub/apiserver/authentication/caller.ts'
import { compileAuthentication, type Issuer } from '../hub/apiserver/authentication/jwt/compile-jwt.ts'
import { jwtAuthentication, type KeyedAuthenticator } from '../hub/apiserver/authentication/jwt/jwt-authentication.ts'
import type { TrustedIssuers } from '../hub/apiserver/authentication/token-verifier.ts'
import { ConfigurationError } from '../hub/apiserver/configuration/read-configuration.ts'
import { defaultTokenIssuer } from '../hub/apiserver/identity/service-account-tokens.ts'
import type { Connections, OpenConnections } from '../platform/http/connections.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { type IssuerKeys, issuerKeys } from '../platform/http/issuer-keys.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { Log } from '../platform/ports/log.ts'
import type { LoginIssuer } from './person-logins.ts'

export interface JwtPorts {
  readonly clock: Clock
  readonly log: Log
  readonly connections: Connections
}

/** The authenticators of an `--authentication-config` file, and their connections. */
export interface Authenticators {
  readonly all: readonly (KeyedAuthenticator & Pick<IssuerKeys, 'fresh'>)[]
  /** Fetches the keys of all issuers. Fails with IssuerUnavailable. */
  ready(): Promise<void>
  close(): Promise<void>
}

/** Creates the authenticators of a file. Sends no request yet. Fails with a ConfigurationError. */
export const openAuthenticators = (
  source: string,
  { clock, log, connections }: JwtPorts,
  disallowedIssuers: readonly string[],
): Authenticators => {
  const opened: OpenConnections[] = []
  const keysOf = ({ url, discoveryUrl, certificateAuthority: ca }: Issuer): IssuerKeys => {
    const opening = connections.open(ca ? { tls: { ca, onlyCa: true } } : {})
    opened.push(opening)
    const onStale = (error: Error) =>
      log.error('failed to refresh the keys of an issuer, using the cached keys', { error })
    const ports = { fetch: guardedFetch({ open: () => opening }), now: () => clock.monotonic(), onStale }
    return issuerKeys(ports, { url, discoveryUrl })
  }
  const all = compileAuthentication(source, disallowedIssuers).map(authenticator => ({
    ...authenticator,
    ...keysOf(authenticator.issuer),
  }))
  return {
    all,
    ready: async () => {
      await Promise.all(all.map(({ fresh }) => fresh()))
    },
    close: async () => {
      await Promise.all(opened.map(({ close }) => close()))
    },
  }
}

/** Authenticates callers with the current authenticators. */
export const authenticateWith = (
  { clock, log }: Pick<JwtPorts, 'clock' | 'log'>,
  authenticators: () => Promise<Authenticators>,
): Authenticate => jwtAuthentication({ clock, log, authenticators: async () => (await authenticators()).all })

/** Maximum age of the keys that the API proxy receives: for this long a token signed with a new key may be rejected. */
const proxyMaxAgeMs = 30_000

/** The issuers whose keys are known, with these keys. */
export const issuersOf = async ({ all }: Authenticators): Promise<TrustedIssuers['issuers']> => {
  const results = await Promise.allSettled(
    all.map(async ({ issuer: { url }, fresh }) => ({ url, keySet: await fresh(proxyMaxAgeMs) })),
  )
  return results.filter(one => one.status === 'fulfilled').map(({ value }) => value)
}

/** The same issuers as places where people log in. */
export const loginIssuersOf = ({ all }: Authenticators): readonly LoginIssuer[] =>
  all.map(({ issuer: { url, certificateAuthority }, audiences }) => ({
    ...{ url, clientId: audiences[0] ?? '' },
    ...(certificateAuthority && { certificateAuthority }),
  }))

/** The error of an `--authentication-config` file, in one line; undefined if it is valid. */
export const authenticationFault = (source: string, tokenIssuer: string | undefined): string | undefined => {
  try {
    compileAuthentication(source, [tokenIssuer ?? defaultTokenIssuer])
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}
