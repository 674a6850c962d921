import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { type HttpResponse, httpClient } from '../../platform/http/http-client.ts'
import type { HttpPolicy } from '../../platform/http/http-policy.ts'
import { GitError } from './git-error.ts'
import { gitFailure, refusal } from './http-failure.ts'
import type { GitTransport } from './transport.ts'

export interface HttpTransportOptions {
  /** http or https. User info in it is not sent: see `authorization`. */
  readonly url: URL
  /** Value of the Authorization header; only ever sent to the URL's own origin. */
  readonly authorization?: string
  readonly signal: AbortSignal
  /** For the URL's own origin: may hold a client certificate. */
  readonly agent: HttpAgent
  /** For other origins, where redirects may lead: holds no credentials. */
  readonly crossOriginAgent: HttpAgent
  /** Of one answer. */
  readonly maxBytes: number
}

const SERVICE = 'git-upload-pack'
const GREETING = '/info/refs'

/** A redirect leads to the same place of another repository. Git follows those of the greeting only. */
const gitPolicy: HttpPolicy = {
  ...{ userAgent: 'git/keelson', retries: false },
  redirects: { methods: ['GET'], max: 5, allows: to => to.pathname.endsWith(GREETING) },
}

/** Smart HTTP (gitprotocol-http). */
export const httpTransport = (options: HttpTransportOptions): GitTransport => {
  const { authorization, signal, maxBytes } = options
  const home = options.url.origin
  let repository = home + options.url.pathname.replace(/\/+$/, '')
  const agent = (url: URL) => (url.origin === home ? options.agent : options.crossOriginAgent)
  const send = httpClient({ agent, policy: gitPolicy, signal, fail: gitFailure })

  const headersFor = (url: URL, accept: string): Record<string, string> => ({
    'git-protocol': 'version=2',
    accept,
    ...(url.origin === home && authorization && { authorization }),
  })

  const contentOf = async (answer: HttpResponse, type: string): Promise<AsyncIterable<Uint8Array>> => {
    if (answer.status !== 200) throw await refusal(answer)
    if (String(answer.headers['content-type']).split(';')[0] === type) return answer.chunks(maxBytes)
    await answer.discard()
    throw new GitError('protocol', `${answer.url.href} does not speak git's smart HTTP protocol`)
  }

  return {
    stateless: true,

    greeting: async () => {
      const url = new URL(`${repository}${GREETING}?service=${SERVICE}`)
      const answer = await send({ url, headers: headersFor(url, '*/*') })
      repository = answer.url.origin + answer.url.pathname.slice(0, -GREETING.length)
      return contentOf(answer, `application/x-${SERVICE}-advertisement`)
    },

    request: async body => {
      const url = new URL(`${repository}/${SERVICE}`)
      const result = `application/x-${SERVICE}-result`
      const headers = { ...headersFor(url, result), 'content-type': `application/x-${SERVICE}-request` }
      return contentOf(await send({ url, method: 'POST', headers, body }), result)
    },

    close: async () => {},
  }
}
