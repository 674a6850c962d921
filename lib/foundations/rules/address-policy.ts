import { addressSet } from './ip-address.ts'
import { forbiddenKind } from './metadata-addresses.ts'

/** An operator's rules for addresses in objects, as IP addresses and CIDR ranges. */
export interface AddressRules {
  /** The hub does not connect to these. */
  readonly forbidAddresses: readonly string[]
  /** Exceptions, which may include loopback but never metadata services. */
  readonly allowAddresses: readonly string[]
}

/** Why an address is forbidden, as in "is a ... address"; undefined if allowed. Names are checked once resolved. */
export type AddressCheck = (address: string) => string | undefined

/** The ranges to allow if objects may have the hub connect to its own machine. */
export const loopbackRanges = ['127.0.0.0/8', '::1'] as const

const isLoopback = addressSet([...loopbackRanges, '0.0.0.0/8', '::'])

/** Decides where objects may have the hub connect to: not to its own machine, unless the operator allows it. */
export const addressPolicy = ({ forbidAddresses, allowAddresses }: AddressRules): AddressCheck => {
  const isForbidden = addressSet(forbidAddresses)
  const isAllowed = addressSet(allowAddresses)
  return address => {
    const kind = forbiddenKind(address)
    if (kind || isAllowed(address)) return kind
    if (isLoopback(address)) return 'loopback'
    return isForbidden(address) ? 'forbidden' : undefined
  }
}
