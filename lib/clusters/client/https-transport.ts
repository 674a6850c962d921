import { lookup } from 'node:dns'
import { type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { Forbids } from '../../foundations/rules/address-policy.ts'
import { forbidsLinkLocal, guarded, requireAllowed } from '../../platform/http/guarded-lookup.ts'
import { ClusterError } from './client.ts'
import type { TokenSource } from './cluster-access.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import { exchangeText } from './text-exchange.ts'
import type { RequestHeaders, Transport } from './transport.ts'
import { unreachable } from './unreachable.ts'

/** HTTP/2 carries all requests to one cluster over one connection; a server without it gets up to four. */
const CONNECTIONS = 4
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 60_000
/** A list of 5,000 large objects stays well below; more is an attack or a mistake. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024

export interface HttpsTransportOptions {
  /** Asked for each request; without it the access says it all. */
  readonly tokens?: TokenSource | undefined
  /** Addresses that no kubeconfig may lead to; absent = link-local ones and metadata services. */
  readonly forbids?: Forbids | undefined
}

/** Connections to one API server, kept alive until closed. Refuses forbidden addresses before it connects. */
export const httpsTransport = (
  access: ClusterAccess,
  { tokens, forbids = forbidsLinkLocal }: HttpsTransportOptions = {},
): { readonly send: Transport; close(): Promise<void> } => {
  const server = new URL(access.server)
  const basePath = server.pathname.replace(/\/+$/, '')
  const fixed = authorizationOf(access)
  const open = (allowH2: boolean) => dispatcherFor(access, server, allowH2, forbids)
  let http2 = open(true)
  // Over HTTP/2 undici joins the values of a header with commas; impersonating several groups takes a line for each.
  let http1: Dispatcher | undefined
  const dispatcherOf = (headers: RequestHeaders): Dispatcher => {
    if (!Object.values(headers).some(value => Array.isArray(value) && value.length > 1)) return http2
    http1 ??= open(false)
    return http1
  }
  /** A connection that gives no answer may be dead without its ends knowing: further requests go another way. */
  const abandon = (used: Dispatcher): void => {
    if (used !== http2) return
    http2 = open(true)
    void used.close()
  }

  const send: Transport = async ({ method, path, headers, body, signal }) => {
    const dispatcher = dispatcherOf(headers)
    const authorization = tokens ? `Bearer ${await tokenFrom(tokens, signal)}` : fixed
    try {
      requireAllowed(server.hostname, forbids)
      if (access.proxyUrl) requireAllowed(new URL(access.proxyUrl).hostname, forbids)
      const request = {
        origin: server.origin,
        path: basePath + path,
        method,
        headers: authorization ? { ...headers, authorization } : headers,
        body,
      }
      const { status, headers: fields, body: text } = await exchangeText(dispatcher, request, signal)
      return { status, header: name => [fields[name]].flat()[0], body: text }
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') abandon(dispatcher)
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

const dispatcherFor = (access: ClusterAccess, server: URL, allowH2: boolean, forbids: Forbids): Dispatcher => {
  const tls = {
    ...(access.certificateAuthority && { ca: access.certificateAuthority }),
    ...(access.clientCertificate && { cert: access.clientCertificate, key: access.clientKey }),
    ...(access.tlsServerName && { servername: access.tlsServerName }),
    rejectUnauthorized: !access.insecureSkipTlsVerify,
  }
  const options = {
    allowH2,
    connections: CONNECTIONS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
  }
  const guard = { timeout: CONNECT_TIMEOUT_MS, lookup: guarded(lookup, forbids) }
  if (access.proxyUrl) return new ProxyAgent({ ...options, uri: access.proxyUrl, requestTls: tls, proxyTls: guard })
  return new Pool(server.origin, { ...options, connect: { ...tls, ...guard } })
}

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
