import { addressSet } from './ip-address.ts'

/**
 * Addresses at which clouds serve data for the machine alone, including credentials. Outside of the link-local range, each cloud has its
 * own: see the documentation of the metadata service named on each line.
 */
const isMetadataService = addressSet([
  'fd00:ec2::/32', // AWS: instance metadata, EKS Pod Identity
  'fd20:ce::254', // Google Compute Engine
  '168.63.129.16', // Azure: the host of the virtual machine ("WireServer")
  '192.0.0.192', // Oracle Cloud Infrastructure
  'fd00:c1::a9fe:a9fe', // Oracle Cloud Infrastructure
  '100.100.100.200', // Alibaba Cloud
  'fd00:42::42', // Scaleway
])

/** Includes 169.254.169.254 of most clouds, 169.254.170.2 and .23 of ECS and EKS, and 169.254.0.23 of Tencent Cloud. */
const isLinkLocal = addressSet(['169.254.0.0/16', 'fe80::/10'])

/** The kind of an address that the hub must never connect to; undefined for any other address, and for names. */
export const forbiddenKind = (address: string): 'link-local' | 'metadata service' | undefined => {
  if (isLinkLocal(address)) return 'link-local'
  return isMetadataService(address) ? 'metadata service' : undefined
}
