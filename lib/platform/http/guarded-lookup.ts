import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { AddressCheck } from '../../foundations/rules/address-policy.ts'
import { forbiddenKind } from '../../foundations/rules/metadata-addresses.ts'

/** An object names an address that the hub does not connect to. */
export class ForbiddenAddress extends Error {
  constructor(host: string, kind: string) {
    super(`${host} is a ${kind} address: nothing is fetched from there${remedies[kind] ?? ''}`)
    this.name = 'ForbiddenAddress'
  }
}

/** Only operators can allow these; metadata services can't be allowed at all. */
const remedy = ' unless the setting allowAddresses (--allow-addresses) lists it'
const remedies: Readonly<Record<string, string>> = { loopback: remedy, forbidden: remedy }

/** Addresses that even the operator can't allow. */
export const forbidsLinkLocal: AddressCheck = forbiddenKind

/** Checks literal addresses of URLs; names are checked when they are resolved. Fails with ForbiddenAddress. */
export const requireAllowed = (host: string, forbids: AddressCheck): void => {
  const kind = forbids(host)
  if (kind) throw new ForbiddenAddress(host, kind)
}

/** Resolves names, and fails with ForbiddenAddress if any of their addresses is forbidden. */
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
