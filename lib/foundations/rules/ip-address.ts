import { BlockList, isIP } from 'node:net'

/** Whether an address is in the set, in any notation; false for names. */
export type AddressSet = (address: string) => boolean

/**
 * A set of subnets. An IPv6 address that embeds an IPv4 address also counts as that: a gateway or the kernel would deliver it there. Ignores
 * brackets and zones.
 */
export const addressSet = (subnets: readonly string[]): AddressSet => {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return address => {
    const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
    if (isIP(bare) === 4) return list.check(bare, 'ipv4')
    if (isIP(bare) !== 6) return false
    return list.check(bare, 'ipv6') || embeddedAddresses(bytesOf(bare)).some(carried => list.check(carried, 'ipv4'))
  }
}

/** IPv4 addresses embedded in an IPv6 address, in every way that its prefix allows. */
const embeddedAddresses = (bytes: readonly number[]): readonly string[] => {
  const at = (...places: readonly number[]): string => places.map(place => bytes[place]).join('.')
  const last = at(12, 13, 14, 15)
  const found: string[] = []
  // IPv4-mapped and IPv4-compatible (RFC 4291), and translated (RFC 2765).
  const beforeIpv4 = [zeros(12), [...zeros(10), 0xff, 0xff], [...zeros(8), 0xff, 0xff, 0, 0]]
  if (beforeIpv4.some(start => startsWith(bytes, start))) found.push(last)
  // NAT64: the well-known prefix (RFC 6052), and the local one (RFC 8215), which may embed with any of its lengths.
  if (startsWith(bytes, [0, 0x64, 0xff, 0x9b, ...zeros(8)])) found.push(last)
  if (startsWith(bytes, [0, 0x64, 0xff, 0x9b, 0, 1])) {
    // Gateways don't deliver to 0.0.0.0/8, which is how the unused positions read.
    const places = [last, at(6, 7, 9, 10), at(7, 9, 10, 11), at(9, 10, 11, 12)]
    found.push(...places.filter(address => !address.startsWith('0.')))
  }
  // 6to4 (RFC 3056).
  if (startsWith(bytes, [0x20, 0x02])) found.push(at(2, 3, 4, 5))
  // Teredo (RFC 4380): server, and client with inverted bits.
  if (startsWith(bytes, [0x20, 0x01, 0, 0]))
    found.push(
      at(4, 5, 6, 7),
      bytes
        .slice(12)
        .map(byte => byte ^ 0xff)
        .join('.'),
    )
  // ISATAP (RFC 5214), with any prefix.
  if (startsWith(bytes.slice(9), [0, 0x5e, 0xfe])) found.push(last)
  return found
}

const zeros = (count: number): number[] => Array<number>(count).fill(0)
const startsWith = (bytes: readonly number[], start: readonly number[]): boolean =>
  start.every((byte, place) => bytes[place] === byte)

/** The 16 bytes of an IPv6 address that `isIP` accepts. */
const bytesOf = (address: string): readonly number[] => {
  const [head = '', tail] = address.replace(/\d+\.\d+\.\d+\.\d+$/, pairsOfIpv4).split('::')
  const groups = (part: string): string[] => (part === '' ? [] : part.split(':'))
  const [front, back] = [groups(head), groups(tail ?? '')]
  const middle = Array<string>(8 - front.length - back.length).fill('0')
  return [...front, ...middle, ...back].flatMap(group => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

const pairsOfIpv4 = (text: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number)
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}
