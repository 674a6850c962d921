import type { Dispatcher } from 'undici'
import { GitError, tooLarge } from './git-error.ts'
import { connectionFailure, refusal } from './http-failure.ts'
import type { GitTransport } from './transport.ts'

export interface HttpTransportOptions {
  /** http or https. User info in it is not sent: see `authorization`. */
  readonly url: URL
  /** Value of the Authorization header; only ever sent to the URL's own origin. */
  readonly authorization?: string
  readonly signal: AbortSignal
  /** For the URL's own origin: may hold a client certificate. */
  readonly agent: Dispatcher
  /** For other origins, where redirects may lead: holds no credentials. */
  readonly crossOriginAgent: Dispatcher
  /** Most bytes of one answer. */
  readonly maxBytes: number
}

const SERVICE = 'git-upload-pack'
const MAX_REDIRECTS = 5

/** Smart HTTP (gitprotocol-http). Redirects are followed for the greeting only, as git does by default. */
export const httpTransport = (options: HttpTransportOptions): GitTransport => {
  const { signal } = options
  const home = options.url.origin
  let repository = home + options.url.pathname.replace(/\/+$/, '')

  const exchange = async (url: URL, accept: string, body?: Uint8Array): Promise<Dispatcher.ResponseData> => {
    const isHome = url.origin === home
    try {
      return await (isHome ? options.agent : options.crossOriginAgent).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: body ? 'POST' : 'GET',
        headers: {
          'user-agent': 'git/keelson',
          'git-protocol': 'version=2',
          accept,
          ...(body && { 'content-type': `application/x-${SERVICE}-request` }),
          ...(isHome && options.authorization && { authorization: options.authorization }),
        },
        signal,
        ...(body && { body }),
      })
    } catch (cause) {
      throw connectionFailure(url, cause)
    }
  }

  const contentOf = async (answer: Dispatcher.ResponseData, url: URL, type: string) => {
    if (answer.statusCode !== 200) throw await refusal(answer, url)
    if (String(answer.headers['content-type']).split(';')[0] !== type) {
      await answer.body.dump()
      throw new GitError('protocol', `${url.href} does not speak git's smart HTTP protocol`)
    }
    return bounded(answer.body, options.maxBytes, url)
  }

  return {
    stateless: true,

    greeting: async () => {
      let url = new URL(`${repository}/info/refs?service=${SERVICE}`)
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const answer = await exchange(url, '*/*')
        const next = await redirectOf(answer, url)
        if (!next) {
          repository = url.origin + url.pathname.replace(/\/info\/refs$/, '')
          return contentOf(answer, url, `application/x-${SERVICE}-advertisement`)
        }
        url = next
      }
      throw new GitError('protocol', `${repository} redirects more than ${MAX_REDIRECTS} times`)
    },

    request: async body => {
      const url = new URL(`${repository}/${SERVICE}`)
      const type = `application/x-${SERVICE}-result`
      return contentOf(await exchange(url, type, body), url, type)
    },

    close: async () => {},
  }
}

/** Where a redirect leads: to the same place of another repository, and never from https to http. */
const redirectOf = async ({ statusCode, headers, body }: Dispatcher.ResponseData, from: URL) => {
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof headers.location !== 'string') return undefined
  await body.dump()
  const to = URL.parse(headers.location, from.href)
  const isSafe = to?.protocol === 'https:' || (to?.protocol === 'http:' && from.protocol === 'http:')
  if (!to || !isSafe || !to.pathname.endsWith('/info/refs')) {
    throw new GitError('protocol', `${from.href} redirects to ${to ? to.origin + to.pathname : 'an invalid address'}`)
  }
  to.username = ''
  to.password = ''
  return to
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number, url: URL): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of body) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(`the answer is larger than the limit of ${maxBytes} bytes`)
      yield chunk
    }
  } catch (cause) {
    throw cause instanceof GitError ? cause : connectionFailure(url, cause)
  }
}
