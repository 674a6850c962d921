/** `/mcp`: the hub's tools for agents over Streamable HTTP. Stateless: each request stands alone, with the caller's own credential. */

import type { DocsIndex } from '../../mcp/docs-index.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Random } from '../../platform/ports/random.ts'
import type { ApiHandler } from '../apiserver/api-server.ts'
import { unauthorized } from '../apiserver/refusals.ts'
import { refusal } from '../apiserver/wire/refusal.ts'
import { credentialOf } from '../console/credential.ts'
import { userOf } from '../console/user-of.ts'
import { apiAs, type Caller } from './api-as.ts'
import { challengeOf, type Issuers, metadataFor } from './protected-resource.ts'

export interface McpEndpointOptions {
  readonly api: ApiHandler
  readonly clock: Clock
  readonly random: Random
  readonly version: string
  /** Whether tools that change objects are offered. */
  readonly allowsWrites: boolean
  /** Whether those that decide about plans are offered besides. */
  readonly allowsDecisions: boolean
  /** Searched by a tool, which is not offered if absent. */
  readonly docs?: DocsIndex
  /** Named to clients without a token; nobody is if absent. */
  readonly issuers?: Issuers
  readonly onError: (error: unknown) => void
}

/** The API with `/mcp` in front of it. */
export const withMcp = (options: McpEndpointOptions): ApiHandler => {
  const { api, issuers = () => [] } = options
  return async (request, peer, sent, remote) => {
    const url = new URL(request.url)
    const metadata = await metadataFor(request, url, issuers)
    if (metadata) return metadata
    if (url.pathname !== '/mcp') return api(request, peer, sent, remote)
    if (isOfForeignPage(request, url)) return text(403, 'requests of pages of other origins are refused')
    const credential = credentialOf(request, peer)
    // The review must not hold a seat until this request ends: the tools need seats of the same flow.
    const user = credential && (await userOf(api, credential, { request, remote }))
    if (!user) return unauthenticated(request, await challengeOf(url, issuers))
    return respondTo(request, { user, credential, remote }, options)
  }
}

/** A page that a browser shows may not use the hub on this machine: its address may have been made to lead here (DNS rebinding). */
const isOfForeignPage = (request: Request, { host }: URL): boolean => {
  const origin = request.headers.get('origin')
  return origin !== null && URL.parse(origin)?.host !== host
}

const unauthenticated = async (request: Request, challenge: string): Promise<Response> => {
  const response = await refusal(request, unauthorized())
  response.headers.set('www-authenticate', challenge)
  return response
}

const text = (status: number, message: string): Response =>
  new Response(`${message}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** Ours are small. */
const maxRequestBytes = 256 * 1024

const respondTo = async (request: Request, caller: Caller, options: McpEndpointOptions): Promise<Response> => {
  // Few hubs have agents: the others don't pay for the protocol at their start.
  const [{ createMcpHandler }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../../mcp/mcp-server.ts'),
  ])
  const { api, clock, random, version, allowsWrites, allowsDecisions, docs, onError } = options
  const server = () =>
    createMcpServer({
      ...{ version, allowsWrites, allowsDecisions, now: clock.now, mark: random.uuid },
      ...(docs && { docs }),
      withApi: (tool, work) => work(apiAs(api, caller, `keelson-mcp/${tool}`)),
    })
  // No subscriptions: nothing of the tools changes, and a stream would keep a function running.
  const limits = { maxSubscriptions: 0, maxRequestBodySize: maxRequestBytes }
  return createMcpHandler(server, { ...limits, onerror: onError }).fetch(request)
}
