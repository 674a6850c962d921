/** Ways to authenticate callers, and how to combine them. */

import type { ServiceAccountTokens } from '../identity/service-account-tokens.ts'
import { TokenRefused } from '../identity/token-refused.ts'
import type { Authenticate } from './caller.ts'

/** Tries one after the other; the first that recognizes the caller wins. */
export const unionAuthenticator =
  (...authenticators: readonly Authenticate[]): Authenticate =>
  async (request, peer) => {
    for (const authenticate of authenticators) {
      const user = await authenticate(request, peer)
      if (user) return user
    }
    return undefined
  }

/** The bearer token of an Authorization header. */
export const bearerTokenOf = (request: Pick<Request, 'headers'>): string | undefined =>
  /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]

/** Authenticates programs by their ServiceAccount's token. */
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

/** Authenticates people by the TLS certificate of their connection: its common name is the user, its organizations are the groups. */
export const byClientCertificate: Authenticate = async (_, peer) =>
  peer && {
    name: peer.commonName,
    groups: [...new Set([...peer.organizations, 'system:authenticated'])],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${peer.fingerprint}`] },
  }
