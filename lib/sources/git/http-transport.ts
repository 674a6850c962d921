import type { HttpAgent } from '../../platform/http/guarded-agent.ts'
import { type HttpResponse, httpClient } from '../../platform/http/http-client.ts'
import type { HttpPolicy } from '../../platform/http/http-policy.ts'
import { GitError } from './git-error.ts'
import { requestError, statusError } from './http-failure.ts'
import type { GitService, GitTransport } from './transport.ts'

export interface HttpTransportOptions {
  readonly service: GitService
  /** http or https. Its user info is not sent: see `authorization`. */
  readonly url: URL
  /** Value of the Authorization header; sent to the URL's own origin only. */
  readonly authorization?: string
  readonly signal: AbortSignal
  /** For the URL's own origin; may use a client certificate. */
  readonly agent: HttpAgent
  /** For redirects to other origins; has no credentials. */
  readonly crossOriginAgent: HttpAgent
  /** Of one response. */
  readonly maxBytes: number
}

const GREETING = '/info/refs'

/**
 * A redirect must lead to the same path of another repository. Like git, follows redirects of the first request only.
 */
const gitPolicy: HttpPolicy = {
  ...{ userAgent: 'git/keelson', retries: false },
  redirects: { methods: ['GET'], max: 5, allows: to => to.pathname.endsWith(GREETING) },
}

/** Smart HTTP (gitprotocol-http). */
export const httpTransport = (options: HttpTransportOptions): GitTransport => {
  const { service, authorization, signal, maxBytes } = options
  const home = options.url.origin
  let repository = home + options.url.pathname.replace(/\/+$/, '')
  const agent = (url: URL) => (url.origin === home ? options.agent : options.crossOriginAgent)
  const send = httpClient({ agent, policy: gitPolicy, signal, fail: requestError })

  const headersFor = (url: URL, accept: string): Record<string, string> => ({
    ...(service === 'git-upload-pack' && { 'git-protocol': 'version=2' }),
    accept,
    ...(url.origin === home && authorization && { authorization }),
  })

  const contentOf = async (response: HttpResponse, type: string): Promise<AsyncIterable<Uint8Array>> => {
    if (response.status !== 200) throw await statusError(response)
    if (String(response.headers['content-type']).split(';')[0] === type) return response.chunks(maxBytes)
    await response.discard()
    throw new GitError('protocol', `${response.url.href} does not support git's smart HTTP protocol`)
  }

  return {
    stateless: true,

    greeting: async () => {
      const url = new URL(`${repository}${GREETING}?service=${service}`)
      const response = await send({ url, headers: headersFor(url, '*/*') })
      repository = response.url.origin + response.url.pathname.slice(0, -GREETING.length)
      return contentOf(response, `application/x-${service}-advertisement`)
    },

    request: async body => {
      const url = new URL(`${repository}/${service}`)
      const result = `application/x-${service}-result`
      const headers = { ...headersFor(url, result), 'content-type': `application/x-${service}-request` }
      return contentOf(await send({ url, method: 'POST', headers, body }), result)
    },

    close: async () => {},
  }
}
