import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'
import { isLinkLocal } from '../../rules/link-local.ts'

export interface TlsOptions {
  /** PEM; trusted besides the public authorities. */
  readonly ca?: string
  /** PEM; the client's certificate and key. */
  readonly certificate?: string
  readonly key?: string
  /** Whoever answers is taken for the server. */
  readonly unverified?: true
}

export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`${host} is a link-local address: nothing is fetched from there`)
    this.name = 'ForbiddenAddress'
  }
}

const limits = { connections: 8, keepAliveTimeout: 10_000 }

/**
 * Connections to sources. Link-local addresses are refused, whether they stand in the URL or a name resolves to them: the
 * address that is judged is the one that is connected to. Fails with ForbiddenAddress.
 */
export const guardedAgent = (tls: TlsOptions = {}, resolve = lookup): Agent => {
  const connect = buildConnector({ lookup: guarded(resolve), ...connectionOptions(tls) })
  return new Agent({
    ...limits,
    connect: (options, done) =>
      isLinkLocal(options.hostname) ? done(new ForbiddenAddress(options.hostname), null) : connect(options, done),
  })
}

/**
 * Connections through a proxy, whose URL may hold a user and password. It resolves the names: only link-local addresses
 * that stand in a URL can be refused here, besides such an address of the proxy itself.
 */
export const proxiedAgent = (proxy: URL, tls: TlsOptions = {}, resolve = lookup): Dispatcher => {
  const through = new ProxyAgent({
    ...limits,
    uri: proxy.href,
    requestTls: connectionOptions(tls),
    proxyTls: { lookup: guarded(resolve), timeout: 30_000 },
  })
  return through.compose(dispatch => (options, handler) => {
    const hosts = [proxy, new URL(String(options.origin))].map(({ hostname }) => hostname)
    const forbidden = hosts.find(isLinkLocal)
    if (forbidden) throw new ForbiddenAddress(forbidden)
    return dispatch(options, handler)
  })
}

const connectionOptions = ({ ca, certificate, key, unverified }: TlsOptions) => ({
  timeout: 30_000,
  allowH2: false,
  ...(ca && { ca: [...getCACertificates('default'), ca] }),
  ...(certificate && { cert: certificate, key }),
  ...(unverified && { rejectUnauthorized: false }),
})

/** Resolves names, and refuses those that lead to a link-local address. */
export const guarded =
  (resolve: typeof lookup = lookup): LookupFunction =>
  (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      if (addresses.some(({ address }) => isLinkLocal(address))) return done(new ForbiddenAddress(host), '')
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first!.address, first!.family)
    })
  }
