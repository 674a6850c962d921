import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isLinkLocal } from '../../rules/link-local.ts'

/** Somebody wants something from a link-local address, where clouds have what is meant for the machine only. */
export class ForbiddenAddress extends Error {
  constructor(host: string) {
    super(`${host} is a link-local address: nothing is fetched from there`)
    this.name = 'ForbiddenAddress'
  }
}

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
