import { KubeconfigError } from './kubeconfig-error.ts'

/** Returns a bearer token for a request, and renews it before it expires. */
export type TokenSource = (signal?: AbortSignal) => Promise<string>

/** The parts of a cluster's access that a kubeconfig or ConfigMap contains. */
export interface KnownCluster {
  readonly address?: string
  /** PEM. */
  readonly certificateAuthority?: string
}

/** A cluster's address, and how this process authenticates there. */
export interface FoundAccess {
  readonly address: string
  /** PEM; the public authorities if absent. */
  readonly certificateAuthority?: string
  readonly tokens: TokenSource
}

/** The canonical form of an API server's address: `https://host:port`. Fails with a KubeconfigError. */
export const clusterAddress = (address: string): string => {
  const url = URL.parse(/^http/i.test(address) ? address : `https://${address}`)
  if (!url) throw new KubeconfigError(`failed to parse Kubernetes API server address '${address}'`)
  if (url.protocol !== 'https:')
    throw new KubeconfigError(`the Kubernetes API server address '${address}' must use https scheme`)
  return `https://${url.hostname}:${url.port || 443}`
}

/**
 * Of the addresses that a cloud returns for a cluster, the requested one, or the first. Any other is refused: a tenant
 * writes the ConfigMap, and could have the hub's token sent to a server of the tenant's own (KS-230).
 */
export const addressAmong = (addresses: readonly string[], requested: string | undefined, cluster: string): string => {
  const found = requested ? addresses.find(one => clusterAddress(one) === clusterAddress(requested)) : addresses[0]
  if (found) return clusterAddress(found)
  const known = addresses.map(address => `'${address}'`).join(', ')
  throw new KubeconfigError(
    requested
      ? `the address '${requested}' does not belong to cluster ${cluster}: its addresses are [${known}]`
      : `cluster ${cluster} has no address yet`,
  )
}
