import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { forbiddenKind } from '../rules/metadata-addresses.ts'
import { isLoopback } from './loopback.ts'

/** An address where clouds have what is meant for the machine alone, or the machine itself. */
export class ForbiddenAddress extends Error {
  constructor(host: string, kind = 'link-local') {
    super(`${host} is a ${kind} address: nothing is fetched from there`)
    this.name = 'ForbiddenAddress'
  }
}

/** Of which kind an address is, if nothing is to be fetched from there. */
export type Forbids = (address: string) => string | undefined

export const forbidsLinkLocal: Forbids = forbiddenKind

/** For addresses that no user wrote down: this machine is none of their business either. */
export const forbidsLocal: Forbids = address =>
  forbidsLinkLocal(address) ?? (isLoopback(address) ? 'loopback' : undefined)

/** For addresses as they stand in a URL; names are judged when they are resolved. Fails with ForbiddenAddress. */
export const requireAllowed = (host: string, forbids: Forbids): void => {
  const kind = forbids(host)
  if (kind) throw new ForbiddenAddress(host, kind)
}

/** Resolves names, and refuses those that lead to an address that nothing is to be fetched from. */
export const guarded =
  (resolve: typeof lookup = lookup, forbids: Forbids = forbidsLinkLocal): LookupFunction =>
  (host, options, done) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const kind = addresses.map(({ address }) => forbids(address)).find(Boolean)
      if (kind) return done(new ForbiddenAddress(host, kind), '')
      if (options.all) return done(null, addresses)
      const [first] = addresses
      done(null, first!.address, first!.family)
    })
  }
