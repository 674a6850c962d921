import { isObject } from '../../foundations/kinds/json-object.ts'
import type { AzureIdentity } from '../../platform/cloud/azure/identity.ts'
import type { CloudPorts } from '../../platform/cloud/cloud-ports.ts'
import { requestJson, textOr } from '../../platform/cloud/send-request.ts'
import { azureResourceManagers, destinationNamedBy, tokenDestination } from '../../platform/cloud/token-destination.ts'
import { addressAmong, clusterAddress } from './cluster-access.ts'
import type { ClusterProvider } from './cluster-provider.ts'
import { parseKubeconfig } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const aksName =
  /^\/subscriptions\/[^/]{1,200}\/resourceGroups\/[^/]{1,200}\/providers\/Microsoft\.ContainerService\/managedClusters\/[^/]{1,200}$/i

/** The API servers of all AKS clusters, as an application in Entra. */
const aksAudience = '6dae42f8-4368-4678-94ff-3960e28e3630'
const apiVersion = '2024-09-01'

export interface AksAccessPorts extends Pick<CloudPorts, 'fetch'> {
  readonly identity: AzureIdentity
  /** The address of the resource manager, which is also the audience of its tokens. */
  readonly resourceManager: string
}

/** Access to AKS clusters with Entra ID: the resource manager returns their addresses; an Entra token authenticates. */
export const aksAccess =
  ({ fetch, identity, resourceManager }: AksAccessPorts): ClusterProvider =>
  async ({ cluster, known }, signal) => {
    if (!aksName.test(cluster))
      throw new KubeconfigError(
        `invalid AKS cluster ID: '${cluster}'. must match ${aksName.source.replaceAll('\\/', '/')}`,
      )
    const destination = tokenDestination(azureResourceManagers, new URL(resourceManager))
    const { token } = await identity({ resource: resourceManager, destination, signal })
    const request = (method: 'GET' | 'POST', path: string) =>
      requestJson(fetch, {
        service: 'Azure',
        what: 'the cluster',
        method,
        url: `${resourceManager}${cluster}${path}?api-version=${apiVersion}`,
        headers: { authorization: `Bearer ${token}` },
        signal,
      })
    try {
      const { properties } = await request('GET', '')
      if (!isObject(properties) || !isObject(properties.aadProfile))
        throw new KubeconfigError(`AKS cluster ${cluster} does not have Microsoft Entra ID integration enabled`)
      const { kubeconfigs } = await request('POST', '/listClusterUserCredential')
      const entries = (Array.isArray(kubeconfigs) ? kubeconfigs : []).map(entry =>
        parseKubeconfig(Buffer.from(textOr(isObject(entry) ? entry.value : '') ?? '', 'base64').toString()),
      )
      const address = addressAmong(
        entries.map(({ server }) => server),
        known.address,
        cluster,
      )
      const { certificateAuthority } = {
        ...entries.find(({ server }) => clusterAddress(server) === address),
        ...(known.certificateAuthority && known),
      }
      return {
        address,
        ...(certificateAuthority && { certificateAuthority }),
        tokens: async signal => {
          const apiServer = destinationNamedBy('the cloud', new URL(address))
          return (await identity({ resource: aksAudience, destination: apiServer, signal })).token
        },
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof KubeconfigError) throw error
      throw new KubeconfigError(`failed to describe AKS cluster: ${(error as Error).message}`, error)
    }
  }
