import { type ApiHandler, type ApiServerOptions, createApiServer } from '../hub/apiserver/api-server.ts'
import { byServiceAccountToken, unionAuthenticator } from '../hub/apiserver/authentication/authenticators.ts'
import type { Authenticate } from '../hub/apiserver/authentication/caller.ts'
import type { ServiceAccountTokens } from '../hub/apiserver/identity/service-account-tokens.ts'

/** Parts of the API for its users, which the hub's own work does not need. */
export type ApiExtras = Pick<
  ApiServerOptions,
  'metrics' | 'fairness' | 'audit' | 'actions' | 'runs' | 'deliveries' | 'fleet' | 'lastChecks' | 'report'
>

/** Parts of the API that it has for everybody. */
export type ApiParts = Omit<ApiServerOptions, 'authenticate' | keyof ApiExtras> & {
  readonly tokens: ServiceAccountTokens
}

/** The hub's Kubernetes API, for callers that `authenticate` recognizes, and for ServiceAccounts with their tokens. */
export const composeApi = (parts: ApiParts, authenticate: Authenticate, extras?: ApiExtras): ApiHandler =>
  createApiServer({
    ...parts,
    ...extras,
    authenticate: unionAuthenticator(authenticate, byServiceAccountToken(parts.tokens)),
  })
