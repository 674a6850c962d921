import { isObject } from '../../foundations/kinds/json-object.ts'
import type { CloudPorts } from '../../platform/cloud/cloud-ports.ts'
import type { GcpIdentity } from '../../platform/cloud/gcp/identity.ts'
import { requestJson, textOr } from '../../platform/cloud/send-request.ts'
import { destinationNamedBy, googleApis, tokenDestination } from '../../platform/cloud/token-destination.ts'
import { addressAmong } from './cluster-access.ts'
import type { ClusterProvider } from './cluster-provider.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const gkeApi = 'https://container.googleapis.com'
const gkeName = /^projects\/[^/]{1,200}\/locations\/[^/]{1,200}\/clusters\/[^/]{1,200}$/

export interface GkeAccessPorts extends Pick<CloudPorts, 'fetch'> {
  readonly identity: GcpIdentity
}

/** Access to GKE clusters: Google's API returns address and authority; a Google access token authenticates. */
export const gkeAccess =
  ({ fetch, identity }: GkeAccessPorts): ClusterProvider =>
  async ({ cluster, known }, signal) => {
    if (!gkeName.test(cluster))
      throw new KubeconfigError(
        `invalid GKE cluster ID: '${cluster}'. must match ${gkeName.source.replaceAll('\\/', '/')}`,
      )
    try {
      const { token } = await identity(tokenDestination(googleApis, new URL(gkeApi)), signal)
      const described = await requestJson(fetch, {
        service: 'GCP',
        what: 'the cluster',
        url: `${gkeApi}/v1/${cluster}`,
        headers: { authorization: `Bearer ${token}` },
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
      const address = addressAmong(addresses, known.address, cluster)
      const apiServer = destinationNamedBy('the cloud', new URL(address))
      return {
        address,
        ...(certificateAuthority && { certificateAuthority }),
        tokens: async signal => (await identity(apiServer, signal)).token,
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof KubeconfigError) throw error
      throw new KubeconfigError(`failed to describe GKE cluster '${cluster}': ${(error as Error).message}`, error)
    }
  }

const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((part, step) => (isObject(part) ? part[step] : undefined), value)
