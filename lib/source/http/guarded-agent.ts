import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { getCACertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { isLinkLocal } from '../../rules/link-local.ts'

export interface TlsOptions {
  /** PEM; trusted besides the public authorities. */
  readonly ca?: string
  /** PEM; the client's certificate and key. */
  readonly certificate?: string
  readonly key?: string
}

class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`${host} is a link-local address: nothing is fetched from there`)
    this.name = 'ForbiddenAddress'
  }
}

/**
 * Connections to sources. Link-local addresses are refused, whether they stand in the URL or a name resolves to them: the
 * address that is judged is the one that is connected to. Fails with ForbiddenAddress.
 */
export const guardedAgent = (tls: TlsOptions = {}, resolve = lookup): Agent => {
  const connect = buildConnector({
    lookup: guarded(resolve),
    timeout: 30_000,
    allowH2: false,
    ...(tls.ca && { ca: [...getCACertificates('default'), tls.ca] }),
    ...(tls.certificate && { cert: tls.certificate, key: tls.key }),
  })
  return new Agent({
    connections: 8,
    keepAliveTimeout: 10_000,
    connect: (options, done) =>
      isLinkLocal(options.hostname) ? done(new ForbiddenAddress(options.hostname), null) : connect(options, done),
  })
}

const guarded =
  (resolve: typeof lookup): LookupFunction =>
  (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      if (addresses.some(({ address }) => isLinkLocal(address))) return done(new ForbiddenAddress(host), '')
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first!.address, first!.family)
    })
  }
