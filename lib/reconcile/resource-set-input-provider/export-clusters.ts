import { ClusterError } from '../../clusters/client/client.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import { type Cluster, kubeConfigOf } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { InputSelector, ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import type { InputProviderPorts } from './context.ts'
import { limitOf } from './filter.ts'
import { identityOf, requireOwnNamespace, selectObjects } from './select-objects.ts'
import { selectProfiles } from './select-profiles.ts'

/**
 * Keelson's own: exports the Clusters of the provider's namespace and the kubeconfig Secrets there that no Cluster uses, so that one
 * ResourceSet can put a Kustomization on each; and ClusterProfiles, by themselves or by PlacementDecisions. Exports names, labels and `kubeConfig` (what a Kustomization says to reach it), never the content
 * of a Secret. A Cluster that is suspended or can't be reached is exported as any other: its units stay.
 */
export const exportClusters = async (
  provider: ResourceSetInputProvider,
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const { selectors = [{}], filter = {} } = provider.spec
  requireOwnNamespace(provider, selectors)
  const seeking = (kind: 'Cluster' | 'Secret') => selectors.filter(each => (each.kind ?? kind) === kind)
  const clustersOf = (chosen: readonly InputSelector[]) =>
    selectObjects(provider, clusterKind, chosen, ports, signal).catch(explainForbidden) as Promise<readonly Cluster[]>
  const [clusters, used, secrets, profiles] = await Promise.all([
    clustersOf(seeking('Cluster')),
    // A Secret that a Cluster uses is not a second cluster, whatever its labels.
    clustersOf(selectors.some(({ kind }) => kind === undefined) ? [{}] : []),
    selectObjects(provider, secretKind, seeking('Secret'), ports, signal),
    selectProfiles(provider, selectors, ports, signal),
  ])
  const taken = new Set(used.map(cluster => kubeConfigOf(cluster)?.secretRef?.name))
  const sets = [
    ...clusters.flatMap(ofCluster),
    ...profiles,
    ...secrets.filter(({ metadata }) => !taken.has(metadata.name)).flatMap(ofSecret),
  ]
  return sets.sort((a, b) => compareText(String(a.name), String(b.name))).slice(0, limitOf(filter))
}

const clusterKind = { apiVersion: `${fleetGroup}/v1alpha1`, kind: 'Cluster' }
const secretKind = { apiVersion: 'v1', kind: 'Secret' }

/** An account for Secrets alone may lack the right to list Clusters. */
const explainForbidden = (error: unknown): never => {
  if (error instanceof ClusterError && error.code === 'forbidden')
    throw new ClusterError(
      'forbidden',
      `${error.message}: allow the account to list Clusters, or set kind: Secret in each of spec.selectors`,
      { cause: error },
    )
  throw error
}

/** A Cluster that has not derived its access yet is not exported: without `kubeConfig` its units would be applied to the hub. */
const ofCluster = (cluster: Cluster): readonly InputSet[] => {
  const kubeConfig = kubeConfigOf(cluster)
  if (!kubeConfig) return []
  const key = kubeConfig.secretRef?.key
  return [{ ...identityOf(cluster), kubeConfig: { ...kubeConfig }, ...(key && { key }) }]
}

const kubeconfigKeys = ['value', 'value.yaml', 'kubeconfig']

const ofSecret = (secret: KubernetesObject): readonly InputSet[] => {
  const keys = Object.keys((secret.data ?? {}) as object)
  const key = kubeconfigKeys.find(each => keys.includes(each))
  const { name } = secret.metadata
  return key ? [{ ...identityOf(secret), key, kubeConfig: { secretRef: { name, key } } }] : []
}
