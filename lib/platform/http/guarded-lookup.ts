import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import { forbiddenKind } from '../../foundations/rules/metadata-addresses.ts'

/** An address that an object names, and that the hub does not connect to. */
export class ForbiddenAddress extends Error {
  constructor(host: string, kind: string) {
    super(`${host} is a ${kind} address: nothing is fetched from there${remedies[kind] ?? ''}`)
    this.name = 'ForbiddenAddress'
  }
}

/** Only the operator can help; metadata services are not to be had at all. */
const remedy = ' unless the setting allowAddresses (--allow-addresses) lists it'
const remedies: Readonly<Record<string, string>> = { loopback: remedy, forbidden: remedy }

/** What nobody may connect to, whatever the operator says. */
export const forbidsLinkLocal: AddressCheck = forbiddenKind

/** For addresses as they stand in a URL; names are judged when they are resolved. Fails with ForbiddenAddress. */
export const requireAllowed = (host: string, forbids: AddressCheck): void => {
  const kind = forbids(host)
  if (kind) throw new ForbiddenAddress(host, kind)
}

/** Resolves names, and refuses those that lead to an address that nothing is to be fetched from. */
export const guarded =
  (resolve: typeof lookup = lookup, forbids: AddressCheck = forbidsLinkLocal): LookupFunction =>
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
