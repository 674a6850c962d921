import { lookup } from 'node:dns'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import { isLinkLocal } from '../rules/link-local.ts'
import { ForbiddenAddress, forbidsLinkLocal, guarded } from './guarded-lookup.ts'
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
 * Connections through a proxy, whose URL may hold a user and password. It resolves the names: only link-local addresses
 * that stand in a URL can be refused here, besides such an address of the proxy itself.
 */
export const proxiedAgent = (proxy: URL, tls: TlsOptions = {}, resolve = lookup): Dispatcher =>
  refusingLinkLocal(
    [proxy.hostname],
    proxy.protocol.startsWith('socks5')
      ? new Agent({ ...limits, connect: throughSocks(proxy, tls) })
      : new ProxyAgent({
          ...limits,
          uri: proxy.href,
          requestTls: connectionOptions(tls),
          proxyTls: { lookup: guarded(resolve), timeout: connectMs },
        }),
  )

const refusingLinkLocal = (others: readonly string[], agent: Dispatcher): Dispatcher =>
  agent.compose(dispatch => (options, handler) => {
    const forbidden = [...others, new URL(String(options.origin)).hostname].find(isLinkLocal)
    if (forbidden) throw new ForbiddenAddress(forbidden)
    return dispatch(options, handler)
  })

/** undici's own way through a SOCKS proxy is an experiment, and would speak TLS with the proxy. */
const throughSocks = (proxy: URL, tls: TlsOptions): buildConnector.connector => {
  const secure = buildConnector(connectionOptions(tls))
  return (options, done) => {
    const isSecure = options.protocol === 'https:'
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const port = Number(options.port) || (isSecure ? 443 : 80)
    socksSocket(proxy, host, port, AbortSignal.timeout(connectMs)).then(
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
