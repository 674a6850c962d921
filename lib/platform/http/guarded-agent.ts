import { lookup } from 'node:dns'
import { getCACertificates, type SecureContextOptions } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import { ForbiddenAddress, forbidsLinkLocal, guarded, requireAllowed } from './guarded-lookup.ts'
import { socksSocket } from './socks-socket.ts'

export interface TlsOptions {
  /** PEM; trusted in addition to the public authorities. */
  readonly ca?: string
  /** Trusts `ca` alone. */
  readonly onlyCa?: true
  /** PEM; the client's certificate and key. */
  readonly certificate?: string
  readonly key?: string
  /** Accepts any certificate. */
  readonly unverified?: true
}

/** Decides where and how requests connect. */
export type HttpAgent = Dispatcher

/** Limits of connections. */
export interface ConnectionPolicy {
  /** Concurrent connections per server; with HTTP/2, a single one carries all requests. */
  readonly maxConnections: number
  /** How long an idle connection stays open. */
  readonly keepAliveMs: number
  readonly connectMs: number
  readonly http2: boolean
  /** Maximum size of a response; absent = its reader sets the limit. */
  readonly maxResponseBytes?: number
}

const sourceConnections: ConnectionPolicy = {
  ...{ maxConnections: 8, keepAliveMs: 10_000, connectMs: 30_000, http2: false },
}

export interface AgentOptions {
  /** In the form of `tls.connect`. */
  readonly tls?: SecureContextOptions & { readonly servername?: string; readonly rejectUnauthorized?: boolean }
  /** May contain a user and password. */
  readonly proxy?: URL | undefined
  readonly policy?: ConnectionPolicy
  /** Absent = link-local addresses. */
  readonly forbids?: AddressCheck
  /** For the proxy itself, if its origin is known; absent = `forbids`. */
  readonly forbidsProxy?: AddressCheck
  readonly resolve?: typeof lookup
}

/**
 * Connections to external servers that refuse forbidden addresses, both literal ones and those that a name resolves to: the checked address is the
 * one connected to. A proxy resolves names itself, so through one only literal addresses can be refused. Requests fail with ForbiddenAddress.
 */
export const guardedAgent = ({
  tls = {},
  proxy,
  policy = sourceConnections,
  forbids = forbidsLinkLocal,
  forbidsProxy = forbids,
  resolve = lookup,
}: AgentOptions = {}): HttpAgent => {
  const { connectMs: timeout, http2: allowH2, maxResponseBytes: maxResponseSize } = policy
  const limits = {
    ...{ connections: policy.maxConnections, keepAliveTimeout: policy.keepAliveMs, connectTimeout: timeout, allowH2 },
    ...(maxResponseSize !== undefined && { maxResponseSize }),
  }
  const secure = { timeout, allowH2, ...tls }
  if (!proxy) {
    const connect = buildConnector({ lookup: guarded(resolve, forbids), ...secure })
    return new Agent({ ...limits, connect: refusing(forbids, connect) })
  }
  const agent = proxy.protocol.startsWith('socks5')
    ? new Agent({ ...limits, connect: throughSocks(proxy, buildConnector(secure), timeout, forbidsProxy) })
    : new ProxyAgent({
        ...{ ...limits, uri: proxy.href, requestTls: secure },
        proxyTls: { lookup: guarded(resolve, forbidsProxy), timeout },
      })
  return agent.compose(dispatch => (options, handler) => {
    requireAllowed(proxy.hostname, forbidsProxy)
    requireAllowed(new URL(String(options.origin)).hostname, forbids)
    return dispatch(options, handler)
  })
}

const refusing =
  (forbids: AddressCheck, connect: buildConnector.connector): buildConnector.connector =>
  (options, done) => {
    const kind = forbids(options.hostname)
    if (kind) done(new ForbiddenAddress(options.hostname, kind), null)
    else connect(options, done)
  }

/** undici's own SOCKS support is experimental, and would speak TLS with the proxy. */
const throughSocks =
  (proxy: URL, secure: buildConnector.connector, timeoutMs: number, forbids: AddressCheck): buildConnector.connector =>
  (options, done) => {
    const isSecure = options.protocol === 'https:'
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const port = Number(options.port) || (isSecure ? 443 : 80)
    socksSocket(proxy, host, port, AbortSignal.timeout(timeoutMs), forbids).then(
      socket => (isSecure ? secure({ ...options, httpSocket: socket }, done) : done(null, socket)),
      error => done(error, null),
    )
  }

/** In the form of `tls.connect`. */
export const tlsSettings = ({ ca, onlyCa, certificate, key, unverified }: TlsOptions) => ({
  ...(ca && { ca: [...(onlyCa ? [] : getCACertificates('default')), ca] }),
  ...(certificate && { cert: certificate, key }),
  ...(unverified && { rejectUnauthorized: false }),
})
