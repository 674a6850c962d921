import { BlockList, isIP } from 'node:net'

const linkLocal = new BlockList()
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4')
linkLocal.addSubnet('fe80::', 10, 'ipv6')
// The same IPv4 addresses behind a NAT64 gateway, and AWS' metadata service over IPv6.
linkLocal.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6')
linkLocal.addSubnet('fd00:ec2::', 32, 'ipv6')

/**
 * Whether an address is one that no user may have us call: link-local ones lead to the metadata service of the
 * machine, which hands out its credentials. IPv4 addresses inside IPv6 count as what they are. False for names.
 */
export const isLinkLocal = (address: string): boolean => {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  const family = isIP(bare)
  return family !== 0 && linkLocal.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}
