/** Sessions live in the browser, sealed: the hub keeps none, so they outlive its restarts. */
import type { Random } from '../../platform/ports/random.ts'
import type { Credential } from './credential.ts'
import type { Seals } from './seals.ts'

export interface Session {
  readonly credential: Credential
  /** The value of `csrfHeader` that requests must have. */
  readonly csrf: string
}

export interface Sessions {
  /** The `Set-Cookie` of a new session. Fails with SessionTooLarge. */
  open(url: URL, credential: Credential): Promise<string>
  /** The session of a request; undefined if it has none, or one that has expired or does not open. */
  of(request: Request, url: URL): Promise<Session | undefined>
  /** The `Set-Cookie` that ends a session. */
  close(url: URL): string
}

export interface SessionPorts {
  readonly seals: Seals
  readonly random: Pick<Random, 'bytes'>
}

/** The credential does not fit into a cookie. */
export class SessionTooLarge extends Error {
  constructor() {
    super(
      'the token of this login does not fit into a cookie, as it lists too many groups: have the issuer send fewer claims',
    )
    this.name = 'SessionTooLarge'
  }
}

/** A working day: afterwards a person logs in again. A token may expire before. */
const maxAgeMs = 12 * 60 * 60_000
/** Browsers drop cookies of more than 4,096 bytes, name and attributes included. */
const maxCookieBytes = 4_000

const context = 'console/session'

/** Sessions of the console. A cookie is valid for twelve hours, HttpOnly, and named after the scheme of `url`. */
export const createSessions = ({ seals, random }: SessionPorts): Sessions => ({
  open: async (url, credential) => {
    const session: Session = { credential, csrf: Buffer.from(random.bytes(24)).toString('base64url') }
    const cookie = cookieOf(url, await seals.seal(session, context, maxAgeMs), maxAgeMs / 1000)
    if (cookie.length > maxCookieBytes) throw new SessionTooLarge()
    return cookie
  },
  of: async (request, url) => {
    const sealed = sessionIn(request, url)
    return sealed ? seals.open<Session>(sealed, context) : undefined
  },
  close: url => cookieOf(url, '', 0),
})

const isSecure = ({ protocol }: URL): boolean => protocol === 'https:'

/** Other hosts can't set a cookie with this prefix. Over plain HTTP, as on loopback, browsers refuse it. */
const nameFor = (url: URL): string => (isSecure(url) ? '__Host-keelson-session' : 'keelson-session')

/** The sealed session of a request. */
export const sessionIn = (request: Pick<Request, 'headers'>, url: URL): string | undefined =>
  valueIn(request.headers.get('cookie') ?? '', nameFor(url))

const cookieOf = (url: URL, value: string, maxAgeSeconds: number): string =>
  [
    `${nameFor(url)}=${value}`,
    ...['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`],
    ...(isSecure(url) ? ['Secure'] : []),
  ].join('; ')

/** The value of a cookie in a Cookie header. */
export const valueIn = (header: string, name: string): string | undefined =>
  header
    .split('; ')
    .find(pair => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
