/** Login at an OpenID Connect issuer: from the console to the issuer and back, by the authorization code flow with PKCE. */
import { pageHeaders } from './pages.ts'
import type { Seals } from './seals.ts'
import { type Sessions, SessionTooLarge, valueIn } from './sessions.ts'

/** What has to come back unchanged. */
export interface LoginChecks {
  readonly issuer: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

/** The issuers whose tokens the API accepts, and how people log in there. */
export interface PersonLogins {
  /** Their URLs. */
  issuers(): readonly string[]
  /** Fails if the issuer is not configured, or does not respond. */
  begin(issuer: string, redirectUri: string): Promise<{ readonly url: string; readonly checks: LoginChecks }>
  /** The ID token. Fails if the issuer refuses the login, or what came back is not what was begun. */
  finish(checks: LoginChecks, callback: URL): Promise<string>
}

export interface OidcEndpointsOptions {
  readonly logins: PersonLogins
  readonly sessions: Pick<Sessions, 'open'>
  readonly seals: Seals
  /** Where browsers find the console; undefined if it is at the address of the request. */
  readonly address: () => string | undefined
  /** Called with why a login failed, for the log; never with tokens or codes. */
  readonly onFailure: (issuer: string, error: Error) => void
}

/** Where a browser gets the issuers, begins a login at one, and comes back from it. */
export const loginPaths = {
  issuers: '/console/issuers',
  begin: '/console/login',
  callback: '/console/callback',
} as const

/** The cookie of a login that was begun. */
export const loginCookie = 'keelson-login'

const context = 'console/login'
const validMs = 10 * 60_000

/** Responds to requests of a login; undefined for other requests. */
export const oidcEndpoints = ({ logins, sessions, seals, address, onFailure }: OidcEndpointsOptions) => {
  const begin = async (url: URL): Promise<Response> => {
    const issuer = url.searchParams.get('issuer') ?? ''
    if (!logins.issuers().includes(issuer)) return redirect('/login?failure=issuer')
    try {
      const { url: there, checks } = await logins.begin(issuer, (address() ?? url.origin) + loginPaths.callback)
      return redirect(there, cookieOf(url, await seals.seal(checks, context, validMs), validMs / 1000))
    } catch (error) {
      onFailure(issuer, error as Error)
      return redirect('/login?failure=unavailable')
    }
  }
  const finish = async (request: Request, url: URL): Promise<Response> => {
    const used = cookieOf(url, '', 0)
    const checks = await pendingOf(request)
    if (!checks) return redirect('/login?failure=expired', used)
    try {
      const token = await logins.finish(checks, url)
      return redirect('/', used, await sessions.open(url, { token }))
    } catch (error) {
      onFailure(checks.issuer, error as Error)
      return redirect(`/login?failure=${error instanceof SessionTooLarge ? 'size' : 'refused'}`, used)
    }
  }
  const pendingOf = async (request: Request): Promise<LoginChecks | undefined> => {
    const sealed = valueIn(request.headers.get('cookie') ?? '', loginCookie)
    return sealed ? seals.open<LoginChecks>(sealed, context) : undefined
  }
  return async (request: Request, url: URL): Promise<Response | undefined> => {
    if (request.method !== 'GET') return undefined
    switch (url.pathname) {
      case loginPaths.issuers:
        return Response.json(
          { issuers: logins.issuers() },
          { headers: { ...pageHeaders, 'cache-control': 'no-store' } },
        )
      case loginPaths.begin:
        return begin(url)
      case loginPaths.callback:
        return finish(request, url)
      default:
        return undefined
    }
  }
}

const redirect = (location: string, ...cookies: readonly string[]): Response => {
  const headers = new Headers({ ...pageHeaders, location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

/** Lax, as the issuer's page leads back to the console. */
const cookieOf = ({ protocol }: URL, value: string, maxAgeSeconds: number): string =>
  [
    `${loginCookie}=${value}`,
    ...['Path=/console', 'HttpOnly', 'SameSite=Lax', `Max-Age=${maxAgeSeconds}`],
    ...(protocol === 'https:' ? ['Secure'] : []),
  ].join('; ')
