/** The hub's API as the person who has logged in with this browser. */
import { ApiFailure, type HubApi, HubUnreachable, type HubUser } from '../../hub-client/hub-api.ts'
import { pollMsAfter } from '../model/poll-pace.ts'

/** What `GET /console/session` returns. */
export interface SessionInfo {
  readonly user: HubUser
  /** Sent with every request: other pages can't read it. */
  readonly csrf: string
  /** How pages learn of changes. */
  readonly changes: 'stream' | 'poll'
}

/** For pages, which follow changes. */
export interface StreamingHubApi extends HubApi {
  /** How long to wait between two reads where changes are not streamed, in milliseconds; undefined where they are. */
  pollMs(): number | undefined
  /** The lines of a stream, until it ends. */
  lines(path: string, signal: AbortSignal): AsyncGenerator<string, void>
}

type Fetch = typeof fetch

export interface Browser {
  readonly send: Fetch
  /** How long the person has done nothing, in milliseconds. */
  readonly quietMs: () => number
  readonly onLoggedOut: () => void
}

/** The hub's API by requests of a browser with the session's cookie. All fail with ApiFailure or HubUnreachable. */
export const browserApi = (
  { user, csrf, changes }: SessionInfo,
  { send, quietMs, onLoggedOut }: Browser,
): StreamingHubApi => {
  const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { accept: 'application/json', ...init.headers, 'x-keelson-csrf': csrf }
    const response = await send(path, { ...init, headers, cache: 'no-store' }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : new HubUnreachable(error)
    })
    if (response.ok) return response
    if (response.status === 401) onLoggedOut()
    throw new ApiFailure(response.status, await messageOf(response))
  }
  const write = async <T>(method: string, path: string, body: object, type: string): Promise<T> => {
    const init = { method, body: JSON.stringify(body), headers: { 'content-type': type } }
    return (await request(path, init)).json() as Promise<T>
  }
  return {
    user,
    pollMs: () => (changes === 'poll' ? pollMsAfter(quietMs()) : undefined),
    get: async <T>(path: string, signal?: AbortSignal) =>
      (await request(path, signal ? { signal } : {})).json() as Promise<T>,
    post: (path, body) => write('POST', `${path}?fieldManager=keelson-console`, body, 'application/json'),
    mergePatch: (path, body) =>
      write('PATCH', `${path}?fieldManager=keelson-console`, body, 'application/merge-patch+json'),
    async *lines(path, signal) {
      const { body } = await request(path, { signal, headers: { accept: 'text/plain' } })
      if (!body) return
      let rest = ''
      const decoder = new TextDecoder()
      const reader = body.getReader()
      try {
        for (;;) {
          const { value, done } = await reader.read()
          if (done) return
          const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
          rest = lines.pop() ?? ''
          yield* lines
        }
      } finally {
        await reader.cancel().catch(() => {})
      }
    },
  }
}

/** The message of a Status, or of the console's own refusals. */
const messageOf = async (response: Response): Promise<string> => {
  try {
    const { message } = (await response.json()) as { readonly message?: string }
    return message || response.statusText
  } catch {
    return response.statusText || `status ${response.status}`
  }
}

/** Who is logged in; undefined if nobody is. Fails with HubUnreachable. */
export const readSession = async (send: Fetch): Promise<SessionInfo | undefined> => {
  const response = await send('/console/session', { cache: 'no-store' }).catch((error: unknown) => {
    throw new HubUnreachable(error)
  })
  return response.ok ? ((await response.json()) as SessionInfo) : undefined
}

/** The issuers at which people may log in; none if none is configured. */
export const readIssuers = async (send: Fetch): Promise<readonly string[]> => {
  const response = await send('/console/issuers')
  if (!response.ok) return []
  const { issuers } = (await response.json()) as { readonly issuers: readonly string[] }
  return issuers
}

/** Logs in with the code of a link. Returns why not, or undefined. */
export const redeemLink = async (code: string, send: Fetch): Promise<string | undefined> => {
  const response = await send('/console/session', { method: 'POST', headers: { 'x-keelson-login-code': code } })
  return response.ok ? undefined : messageOf(response)
}

/** Ends the session on the hub. Fails if the request can not be sent. */
export const logOut = async (send: Fetch): Promise<void> => {
  await send('/console/session', { method: 'DELETE' })
}
