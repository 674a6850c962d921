import type { CloudPorts } from '../cloud/cloud-ports.ts'
import { exchangeJson, isObject, textOr } from '../cloud/exchange.ts'
import type { GcpIdentity } from '../cloud/gcp/identity.ts'
import { addressAmong, type ClusterProvider } from './cluster-access.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const gkeName = /^projects\/[^/]{1,200}\/locations\/[^/]{1,200}\/clusters\/[^/]{1,200}$/

export interface GkeAccessPorts extends Pick<CloudPorts, 'fetch'> {
  readonly identity: GcpIdentity
  /** Of the GKE API; Google's own unless a test says otherwise. */
  readonly endpoint?: string
}

/** Clusters of Google's: their API tells the addresses and the authority; an access token of Google's gets in. */
export const gkeAccess =
  ({ fetch, identity, endpoint = 'https://container.googleapis.com' }: GkeAccessPorts): ClusterProvider =>
  async ({ cluster, known }, signal) => {
    if (!gkeName.test(cluster))
      throw new KubeconfigError(
        `invalid GKE cluster ID: '${cluster}'. must match ${gkeName.source.replaceAll('\\/', '/')}`,
      )
    const tokens = async (signal?: AbortSignal) => (await identity(signal)).token
    try {
      const described = await exchangeJson(fetch, {
        service: 'GCP',
        what: 'the cluster',
        url: `${endpoint}/v1/${cluster}`,
        headers: { authorization: `Bearer ${await tokens(signal)}` },
        signal,
      })
      const authority = textOr(at(described, 'masterAuth', 'clusterCaCertificate'))
      const addresses = [
        described.endpoint,
        at(described, 'privateClusterConfig', 'privateEndpoint'),
        at(described, 'controlPlaneEndpointsConfig', 'dnsEndpointConfig', 'endpoint'),
      ].flatMap(address => textOr(address) ?? [])
      const certificateAuthority =
        known.certificateAuthority ?? (authority && Buffer.from(authority, 'base64').toString())
      return {
        address: addressAmong(addresses, known.address, cluster),
        ...(certificateAuthority && { certificateAuthority }),
        tokens,
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof KubeconfigError) throw error
      throw new KubeconfigError(`failed to describe GKE cluster '${cluster}': ${(error as Error).message}`, error)
    }
  }

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((part, step) => (isObject(part) ? part[step] : undefined), value)
