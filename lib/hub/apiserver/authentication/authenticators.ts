/** Ways to know who calls, put together. */

import type { ServiceAccountTokens } from '../identity/service-account-tokens.ts'
import { TokenRefused } from '../identity/service-account-tokens.ts'
import type { Authenticate } from './caller.ts'

/** Asks one after the other; the first that knows the caller is right. */
export const unionAuthenticator =
  (...authenticators: readonly Authenticate[]): Authenticate =>
  async (request, peer) => {
    for (const authenticate of authenticators) {
      const user = await authenticate(request, peer)
      if (user) return user
    }
    return undefined
  }

/** The token of an Authorization header. */
export const bearerTokenOf = (request: Request): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]

/** Knows programs by their ServiceAccount's token. */
export const byServiceAccountToken =
  (tokens: Pick<ServiceAccountTokens, 'identify'>): Authenticate =>
  async request => {
    const token = bearerTokenOf(request)
    if (!token) return undefined
    try {
      return (await tokens.identify(token))?.user
    } catch (error) {
      if (error instanceof TokenRefused) return undefined
      throw error
    }
  }

/** Knows people by the TLS certificate of their connection: its common name is the user, its organizations are the groups. */
export const byClientCertificate: Authenticate = async (_, peer) =>
  peer && {
    name: peer.commonName,
    groups: [...new Set([...peer.organizations, 'system:authenticated'])],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${peer.fingerprint}`] },
  }
