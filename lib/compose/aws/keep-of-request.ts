/** Requests that need no credential, and what the API proxy forwards of each: nothing that a client chooses freely. */
import type { KnownIssuers } from '../../hub/apiserver/authentication/token-verifier.ts'
import { isPublic } from '../../hub/apiserver/documents/server-info.ts'
import { codeHeader, isLogin } from '../../hub/console/console-server.ts'
import { loginCookie, loginPaths } from '../../hub/console/oidc-endpoints.ts'
import { valueIn } from '../../hub/console/sessions.ts'
import { isSignedSeal } from '../../hub/console/signed-seals.ts'

/** What is forwarded of a request, beside its path and method. */
export interface KeptOfRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
}

export interface ForwardingPorts {
  readonly issuersOf: KnownIssuers
  /** In milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * What to forward of a request without a credential; undefined if it needs one. Those are the version and health of the hub, and logins to the console: by
 * a code, with what the browser says of the page, or at an issuer that the hub trusts, with the cookie of a login that this hub has begun.
 */
export const keepOfRequest = async (
  request: Request,
  url: URL,
  { issuersOf, now }: ForwardingPorts,
): Promise<KeptOfRequest | undefined> => {
  const { method, headers } = request
  if (isLogin(request, url)) return { headers: namedHeaders(headers, [codeHeader, 'origin', 'sec-fetch-site']) }
  if (method !== 'GET' && method !== 'HEAD') return undefined
  switch (url.pathname) {
    case loginPaths.issuers:
      return {}
    case loginPaths.begin: {
      const { issuers } = await issuersOf()
      const issuer = url.searchParams.get('issuer') ?? ''
      return issuers.some(known => known.url === issuer) ? { query: `issuer=${encodeURIComponent(issuer)}` } : {}
    }
    case loginPaths.callback: {
      const checks = valueIn(headers.get('cookie') ?? '', loginCookie)
      const isOurs = checks !== undefined && (await isSignedSeal(checks, (await issuersOf()).keySet, now()))
      return isOurs ? { headers: { cookie: `${loginCookie}=${checks}` }, query: url.search.slice(1) } : {}
    }
    default:
      return isPublic(url.pathname) ? {} : undefined
  }
}

const namedHeaders = (headers: Headers, names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap(name => (headers.has(name) ? [[name, headers.get(name)!]] : [])))
