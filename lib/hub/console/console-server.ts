/**
 * The console's part of the hub's address: its pages, and sessions in place of tokens. What a page reads and writes are requests to the
 * Kubernetes API as the person who has logged in: the console has no rights of its own, and passes everything else to the API.
 */
import type { ApiHandler } from '../apiserver/api-server.ts'
import type { Peer } from '../apiserver/authentication/caller.ts'
import { credentialOf, csrfHeader, peerOf, requestAs } from './credential.ts'
import type { LoginLinks } from './login-links.ts'
import { type ConsolePages, pageFor, pageHeaders } from './pages.ts'
import { type Session, type Sessions, SessionTooLarge } from './sessions.ts'
import { userOf } from './user-of.ts'
import { mergedWatches } from './watch-many.ts'

export interface SessionOptions {
  readonly api: ApiHandler
  readonly sessions: Sessions
  readonly links: LoginLinks
  /** Where browsers find the console; undefined if it is at the address of the API, to which links are relative then. */
  readonly address: () => string | undefined
  /** Logins at issuers; absent if none is configured. */
  readonly atIssuers?: (request: Request, url: URL) => Promise<Response | undefined>
  /** How pages learn of changes: by one stream, or by reading again where a stream costs money. */
  readonly changes: 'stream' | 'poll'
}

export interface ConsoleOptions extends SessionOptions {
  readonly pages: ConsolePages
}

/** What the page needs to know about its session. */
export interface SessionInfo {
  readonly user: { readonly name: string; readonly groups: readonly string[] }
  readonly csrf: string
  readonly changes: SessionOptions['changes']
}

/** The API with the console in front of it. */
export const withConsole = ({ pages, ...options }: ConsoleOptions): ApiHandler => {
  const inner = withSessions(options)
  return async (request, ...others) => pageFor(request, new URL(request.url), pages) ?? inner(request, ...others)
}

/** The same without its pages, where something else serves those. */
export const withSessions = (options: SessionOptions): ApiHandler => {
  const { api, sessions } = options
  return async (request, peer, sent, remote) => {
    const url = new URL(request.url)
    const atIssuer = await options.atIssuers?.(request, url)
    if (atIssuer) return atIssuer
    const own = await ownEndpoint(options, { request, url, peer, sent, remote })
    if (own) return own
    const session = hasCredential(request, peer) ? undefined : await sessions.of(request, url)
    const isWatch = options.changes === 'stream' && request.method === 'GET' && url.pathname === '/console/watch'
    if (!session) return isWatch ? problem(401, 'not logged in') : api(request, peer, sent, remote)
    if (request.headers.get(csrfHeader) !== session.csrf)
      return problem(403, `a request with a session needs the header ${csrfHeader} of that session`)
    if (isWatch) return watch(api, session, { request, url, peer, sent, remote })
    return api(requestAs(request, session.credential), peerOf(session.credential), sent, remote)
  }
}

/** A certificate or token goes before a cookie. */
const hasCredential = (request: Request, peer: Peer | undefined): boolean => credentialOf(request, peer) !== undefined

interface Received {
  readonly request: Request
  readonly url: URL
  readonly peer: Peer | undefined
  readonly sent: Promise<unknown> | undefined
  readonly remote: string | undefined
}

const ownEndpoint = async (options: SessionOptions, received: Received): Promise<Response | undefined> => {
  const { request, url } = received
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /console/link':
      return issueLink(options, received)
    case 'POST /console/session':
      return logIn(options, received)
    case 'GET /console/session':
      return describeSession(options, received)
    case 'DELETE /console/session':
      return isOwnPage(request, url)
        ? new Response(null, { status: 204, headers: { 'set-cookie': options.sessions.close(url) } })
        : foreignPage()
    default:
      return undefined
  }
}

/** For people who have proven themselves to the API in another way, as kubectl does: a link that logs a browser in once. */
const issueLink = async ({ api, links, address }: SessionOptions, received: Received): Promise<Response> => {
  const credential = credentialOf(received.request, received.peer)
  const user = credential && (await userOf(api, credential, received))
  if (!user) return problem(401, 'a link needs a token or a certificate')
  return json({ url: `${address() ?? ''}/login#${await links.issue(credential)}` })
}

/** The code of a login link: in a header, as anyone may send this request, and bodies have no limit before the API. */
export const codeHeader = 'x-keelson-login-code'

/** Whether a request is a login by a link, with a code that may be one: this needs no other credential. */
export const isLogin = ({ method, headers }: Request, { pathname }: URL): boolean =>
  method === 'POST' && pathname === '/console/session' && /^[\w-]{43}$/.test(headers.get(codeHeader) ?? '')

const logIn = async ({ links, sessions }: SessionOptions, { request, url }: Received): Promise<Response> => {
  if (!isOwnPage(request, url)) return foreignPage()
  const credential = await links.redeem(request.headers.get(codeHeader) ?? '')
  if (!credential) return problem(401, 'this link was used, or is older than ten minutes')
  try {
    return new Response(null, { status: 204, headers: { 'set-cookie': await sessions.open(url, credential) } })
  } catch (error) {
    if (error instanceof SessionTooLarge) return problem(431, error.message)
    throw error
  }
}

const describeSession = async ({ api, sessions, changes }: SessionOptions, received: Received): Promise<Response> => {
  const { request, url } = received
  const session = await sessions.of(request, url)
  const user = session && (await userOf(api, session.credential, received))
  if (!user) return problem(401, 'not logged in')
  return json({ user, csrf: session.csrf, changes } satisfies SessionInfo)
}

const watch = async (
  api: ApiHandler,
  { credential }: Session,
  { request, url, sent, remote }: Received,
): Promise<Response> => {
  const paths = url.searchParams.getAll('path')
  if (paths.length === 0 || paths.length > maxWatches || !paths.every(isApiPath))
    return problem(400, `path: name one to ${maxWatches} paths of the API`)
  const watches = await Promise.all(
    paths.map(async (path, at) => ({ name: String(at), response: await watchAs(path) })),
  )
  return new Response(mergedWatches(watches, request.signal), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })

  function watchAs(path: string): Promise<Response> {
    const one = requestAs(request, credential, path)
    one.headers.set('accept', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')
    return api(one, peerOf(credential), sent, remote)
  }
}

const maxWatches = 20

const isApiPath = (path: string): boolean => /^\/apis?\//.test(path)

/**
 * Whether a page of this very address sent the request: browsers say so, and name the page's origin on every POST and DELETE. The origin decides
 * for browsers that don't; a function behind another domain name does not know its own.
 */
const isOwnPage = ({ headers }: Request, { host }: URL): boolean => {
  const site = headers.get('sec-fetch-site')
  return site === null ? URL.parse(headers.get('origin') ?? '')?.host === host : site === 'same-origin'
}

const foreignPage = (): Response => problem(403, 'only a page of the console may do this')

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { ...pageHeaders, 'content-type': 'application/json', 'cache-control': 'no-store' },
  })

const problem = (status: number, message: string): Response => json({ message }, status)
