import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import { exchangeText } from '../../platform/http/exchange-text.ts'
import { type ConnectionPolicy, guardedAgent, type HttpAgent } from '../../platform/http/guarded-agent.ts'
import { forbidsLinkLocal } from '../../platform/http/guarded-lookup.ts'
import { ClusterError } from './client.ts'
import type { TokenSource } from './cluster-access.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import type { RequestHeaders, Transport } from './transport.ts'
import { unreachable } from './unreachable.ts'

const clusterConnections: ConnectionPolicy = {
  http2: true,
  /** Connections to a server without HTTP/2. */
  maxConnections: 4,
  connectMs: 10_000,
  keepAliveMs: 60_000,
  /** A list of 5,000 large objects stays well below; more is an attack or a mistake. */
  maxResponseBytes: 256 * 1024 * 1024,
}

export interface HttpsTransportOptions {
  /** Called for each request; absent if the access includes credentials. */
  readonly tokens?: TokenSource | undefined
  /** Forbidden addresses of kubeconfigs; link-local ones and metadata services if absent. */
  readonly forbids?: AddressCheck | undefined
}

/** Connections to one API server, kept alive until closed. Refuses forbidden addresses before connecting. */
export const httpsTransport = (
  access: ClusterAccess,
  { tokens, forbids = forbidsLinkLocal }: HttpsTransportOptions = {},
): { readonly send: Transport; close(): Promise<void> } => {
  const server = new URL(access.server)
  const basePath = server.pathname.replace(/\/+$/, '')
  const fixed = authorizationOf(access)
  const open = (allowHttp2: boolean) => agentFor(access, { http2: allowHttp2 }, forbids)
  let http2 = open(true)
  // Over HTTP/2 undici joins a header's values with commas, but impersonating several groups requires one line each.
  let http1: HttpAgent | undefined
  const agentOf = (headers: RequestHeaders): HttpAgent => {
    if (!Object.values(headers).some(value => Array.isArray(value) && value.length > 1)) return http2
    http1 ??= open(false)
    return http1
  }
  /** An unresponsive connection may be dead without either end knowing: further requests open another one. */
  const abandon = (used: HttpAgent): void => {
    if (used !== http2) return
    http2 = open(true)
    void used.close()
  }

  const send: Transport = async ({ method, path, headers, body, signal }) => {
    const agent = agentOf(headers)
    const authorization = tokens ? `Bearer ${await tokenFrom(tokens, signal)}` : fixed
    try {
      const request = {
        origin: server.origin,
        path: basePath + path,
        method,
        headers: authorization ? { ...headers, authorization } : headers,
        body,
      }
      const { status, headers: fields, body: text } = await exchangeText(agent, request, signal)
      return { status, header: name => [fields[name]].flat()[0], body: text }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') abandon(agent)
      throw unreachable(method, `${server.origin}${basePath}${path}`, error)
    }
  }
  return {
    send,
    close: async () => {
      await Promise.all([http2.destroy(), http1?.destroy()])
    },
  }
}

/** Connections to the API server of an access. */
const agentFor = (access: ClusterAccess, policy: Partial<ConnectionPolicy>, forbids: AddressCheck): HttpAgent =>
  guardedAgent({
    tls: {
      ...(access.certificateAuthority && { ca: access.certificateAuthority }),
      ...(access.clientCertificate && { cert: access.clientCertificate, key: access.clientKey }),
      ...(access.tlsServerName && { servername: access.tlsServerName }),
      rejectUnauthorized: !access.insecureSkipTlsVerify,
    },
    policy: { ...clusterConnections, ...policy },
    forbids,
    proxy: access.proxyUrl === undefined ? undefined : new URL(access.proxyUrl),
  })

/** The header `authorization` of an access with a fixed credential. */
const authorizationOf = ({ token, basicAuth }: ClusterAccess): string | undefined => {
  if (token) return `Bearer ${token}`
  if (!basicAuth) return undefined
  return `Basic ${Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')}`
}

const tokenFrom = async (tokens: TokenSource, signal: AbortSignal): Promise<string> => {
  try {
    return await tokens(signal)
  } catch (error) {
    signal.throwIfAborted()
    throw new ClusterError('unreachable', `no token for the cluster: ${(error as Error).message}`, { cause: error })
  }
}
