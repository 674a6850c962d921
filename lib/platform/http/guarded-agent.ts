import { lookup } from 'node:dns'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import type { Forbids } from '../../foundations/rules/address-policy.ts'
import { ForbiddenAddress, forbidsLinkLocal, guarded, requireAllowed } from './guarded-lookup.ts'
import { socksSocket } from './socks-socket.ts'

export interface TlsOptions {
  /** PEM; trusted besides the public authorities. */
  readonly ca?: string
  /** PEM; the client's certificate and key. */
  readonly certificate?: string
  readonly key?: string
  /** Whoever answers is taken for the server. */
  readonly unverified?: true
}

/** Decides where requests connect to, and by which way. */
export type HttpAgent = Dispatcher

const limits = { connections: 8, keepAliveTimeout: 10_000 }
const connectMs = 30_000

/**
 * Connections to sources. Link-local addresses are refused, whether they stand in the URL or a name resolves to them: the
 * address that is judged is the one that is connected to. Fails with ForbiddenAddress.
 */
export const guardedAgent = (tls: TlsOptions = {}, resolve = lookup, forbids = forbidsLinkLocal): Agent => {
  const connect = buildConnector({ lookup: guarded(resolve, forbids), ...connectionOptions(tls) })
  return new Agent({
    ...limits,
    connect: (options, done) => {
      const kind = forbids(options.hostname)
      if (kind) done(new ForbiddenAddress(options.hostname, kind), null)
      else connect(options, done)
    },
  })
}

/**
 * Connections through a proxy, whose URL may hold a user and password. It resolves the names: of what is asked for, only
 * addresses that stand in a URL can be refused here. The proxy itself is judged as a server is, unless it is known whose
 * choice it was (`forbidsProxy`).
 */
export const proxiedAgent = (
  proxy: URL,
  tls: TlsOptions = {},
  forbids = forbidsLinkLocal,
  forbidsProxy = forbids,
): Dispatcher => {
  const isSocks = proxy.protocol.startsWith('socks5')
  const agent = isSocks
    ? new Agent({ ...limits, connect: throughSocks(proxy, tls, forbidsProxy) })
    : new ProxyAgent({
        ...limits,
        uri: proxy.href,
        requestTls: connectionOptions(tls),
        proxyTls: { lookup: guarded(lookup, forbidsProxy), timeout: connectMs },
      })
  return agent.compose(dispatch => (options, handler) => {
    requireAllowed(proxy.hostname, forbidsProxy)
    requireAllowed(new URL(String(options.origin)).hostname, forbids)
    return dispatch(options, handler)
  })
}

/** undici's own way through a SOCKS proxy is an experiment, and would speak TLS with the proxy. */
const throughSocks = (proxy: URL, tls: TlsOptions, forbids: Forbids): buildConnector.connector => {
  const secure = buildConnector(connectionOptions(tls))
  return (options, done) => {
    const isSecure = options.protocol === 'https:'
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const port = Number(options.port) || (isSecure ? 443 : 80)
    socksSocket(proxy, host, port, AbortSignal.timeout(connectMs), forbids).then(
      socket => (isSecure ? secure({ ...options, httpSocket: socket }, done) : done(null, socket)),
      error => done(error, null),
    )
  }
}

const connectionOptions = (tls: TlsOptions) => ({ timeout: connectMs, allowH2: false, ...tlsSettings(tls) })

/** As `tls.connect` takes them. */
export const tlsSettings = ({ ca, certificate, key, unverified }: TlsOptions) => ({
  ...(ca && { ca: [...getCACertificates('default'), ca] }),
  ...(certificate && { cert: certificate, key }),
  ...(unverified && { rejectUnauthorized: false }),
})
