import { addressSet } from './ip-address.ts'
import { forbiddenKind } from './metadata-addresses.ts'

/** What an operator says of addresses that objects name, as IP addresses and CIDR ranges. */
export interface AddressRules {
  /** Not connected to. */
  readonly forbidAddresses: readonly string[]
  /** Connected to all the same, loopback among them; never metadata services. */
  readonly allowAddresses: readonly string[]
}

/** What is wrong with an address, as in "is a ... address"; undefined when it may be connected to. Names are judged once resolved. */
export type Forbids = (address: string) => string | undefined

/** What an operator allows where objects may have the hub connect to the machine that it runs on. */
export const loopbackRanges = ['127.0.0.0/8', '::1'] as const

const isLoopback = addressSet([...loopbackRanges, '0.0.0.0/8', '::'])

/** Where an object may have the hub connect to: not to this machine, unless the operator allows it. */
export const addressPolicy = ({ forbidAddresses, allowAddresses }: AddressRules): Forbids => {
  const isForbidden = addressSet(forbidAddresses)
  const isAllowed = addressSet(allowAddresses)
  return address => {
    const kind = forbiddenKind(address)
    if (kind || isAllowed(address)) return kind
    if (isLoopback(address)) return 'loopback'
    return isForbidden(address) ? 'forbidden' : undefined
  }
}
