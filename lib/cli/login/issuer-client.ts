import * as oidc from 'openid-client'
import type { LoginFetch } from '../../compose/login-fetch.ts'
import { CommandFailed } from '../command-failed.ts'
import type { Tokens } from './tokens.ts'

/** The issuer and client of a login. */
export interface LoginTarget {
  readonly issuer: string
  readonly clientId: string
  /** Absent for public clients, as programs on users' machines usually are. */
  readonly clientSecret?: string | undefined
  /** If empty: those that the hub needs and the issuer supports. */
  readonly scopes: readonly string[]
}

/** An issuer, with the configuration that it publishes. */
export interface IssuerClient {
  readonly configuration: oidc.Configuration
  readonly scope: string
}

/** Fetches the issuer's configuration. Fails with a CommandFailed. */
export const discoverIssuer = async (target: LoginTarget, { fetch }: LoginFetch): Promise<IssuerClient> => {
  const { issuer, clientId, clientSecret, scopes } = target
  if (!/^https:\/\/[^/]/.test(issuer)) throw new CommandFailed(`--issuer ${issuer}: must be an https URL`)
  const configuration = await inOneLine(issuer, () =>
    oidc.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret ? oidc.ClientSecretPost(clientSecret) : oidc.None(),
      {
        [oidc.customFetch]: (url, { body, method, headers, signal }) =>
          fetch(url, { method, headers, ...(body != null && { body: String(body) }), signal: signal ?? null }),
      },
    ),
  )
  const offered = configuration.serverMetadata().scopes_supported ?? []
  const usual = ['openid', ...['email', 'profile', 'groups', 'offline_access'].filter(name => offered.includes(name))]
  return { configuration, scope: [...new Set(scopes.length > 0 ? ['openid', ...scopes] : usual)].join(' ') }
}

type TokenResponse = oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers

/** The tokens of a response. A refresh token that is not replaced stays valid. */
export const tokensOf = (issuer: string, response: TokenResponse, refreshToken?: string): Tokens => {
  const { id_token: idToken, refresh_token: next = refreshToken } = response
  if (!idToken)
    throw new CommandFailed(`${issuer} sends no ID token: the scope openid may not be allowed for this client`)
  return { idToken, ...(next && { refreshToken: next }) }
}

/** New tokens for a refresh token; undefined if it has expired, so that the user must log in again. */
export const refresh = async (
  { configuration }: IssuerClient,
  issuer: string,
  refreshToken: string,
): Promise<Tokens | undefined> => {
  try {
    const response = await oidc.refreshTokenGrant(configuration, refreshToken)
    return response.id_token ? tokensOf(issuer, response, refreshToken) : undefined
  } catch (error) {
    if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return undefined
    throw asCommandFailed(issuer, error)
  }
}

/** Runs a request to the issuer. Fails with a CommandFailed that explains the failure, without tokens. */
export const inOneLine = async <T>(issuer: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof CommandFailed ? error : asCommandFailed(issuer, error)
  }
}

const advice: Readonly<Record<string, string>> = {
  invalid_client: 'the client is unknown, or needs its secret (--client-id, --client-secret-file)',
  unauthorized_client: 'the client may not log in this way: allow its grant type at the issuer',
  invalid_scope: 'a scope is not allowed for this client (--scope)',
  invalid_redirect_uri: 'allow http://127.0.0.1 with any port, or with --listen-port, as redirect URI of the client',
  access_denied: 'the issuer denied the login',
  expired_token: 'the code was not entered in time',
}

const asCommandFailed = (issuer: string, error: unknown): CommandFailed => {
  if (error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError) {
    const { error: code, error_description: description } = error
    const why = [description, advice[code]].filter(Boolean).join('; ')
    return new CommandFailed(`${issuer} responded ${code}${why ? `: ${why}` : ''}`, { cause: error })
  }
  return new CommandFailed(`cannot log in at ${issuer}: ${rootMessage(error)}`, { cause: error })
}

const rootMessage = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${rootMessage(error.cause)}` : error.message
}
