import { goList } from '../../../foundations/kinds/schema/field-error.ts'
import type { Identity, ServiceAccountTokens } from '../identity/service-account-tokens.ts'
import { TokenRefused } from '../identity/token-refused.ts'
import type { Authenticate } from './caller.ts'

/** Authenticates a token for some audiences (if none, the API's own); or returns why it is invalid. */
export type AuthenticateToken = (
  token: string,
  audiences: readonly string[],
) => Promise<Identity | { readonly error: string }>

export interface TokenAuthenticationPorts {
  readonly authenticate: Authenticate
  readonly tokens?: ServiceAccountTokens
}

/** Tokens of ServiceAccounts contain their audiences; all other tokens that the API accepts are for the API. */
export const tokenAuthentication =
  ({ authenticate, tokens }: TokenAuthenticationPorts): AuthenticateToken =>
  async (token, audiences) => {
    const own = tokens ? [tokens.issuer] : []
    const wanted = audiences.length > 0 ? audiences : own
    try {
      const found = await tokens?.identify(token, wanted)
      if (found) return found
      const user = /^\S+$/.test(token) && (await authenticate(requestWith(token)))
      const meant = wanted.filter(audience => own.includes(audience))
      if (!user) return { error: 'invalid bearer token' }
      if (wanted.length > 0 && meant.length === 0)
        return { error: `token audiences ${goList(own)} is invalid for the target audiences ${goList(wanted)}` }
      return { user, audiences: meant }
    } catch (error) {
      if (error instanceof TokenRefused) return { error: `[invalid bearer token, ${error.message}]` }
      throw error
    }
  }

const requestWith = (token: string): Request =>
  new Request('https://hub.local/', { headers: { authorization: `Bearer ${token}` } })
