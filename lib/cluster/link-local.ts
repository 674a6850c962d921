import { BlockList, isIP } from 'node:net'

const linkLocal = new BlockList()
linkLocal.addSubnet('169.254.0.0', 16, 'ipv4')
linkLocal.addSubnet('fe80::', 10, 'ipv6')
linkLocal.addAddress('fd00:ec2::254', 'ipv6')

/**
 * Whether an IP address (literal, without brackets) is link-local or an instance metadata service: no user may make
 * the control plane talk to its own machine's metadata. Names are not addresses: check what they resolve to.
 */
export const isLinkLocal = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && linkLocal.check(address.replace(/%.*$/, ''), family === 6 ? 'ipv6' : 'ipv4')
}
