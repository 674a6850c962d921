import type { ComputedColumn, Kind, KindVersion } from '../../foundations/kinds/kind.ts'
import { namedTarget } from '../../foundations/kinds/target-reference.ts'

const appliers = new Set([
  'kustomize.toolkit.fluxcd.io/Kustomization',
  'helm.toolkit.fluxcd.io/HelmRelease',
  'fluxcd.controlplane.io/ResourceSet',
])

/** The cluster that the object itself names, not that of its Namespace. */
const clusterColumn: ComputedColumn = {
  name: 'Cluster',
  type: 'string',
  priority: 1,
  description: 'The Secret or ConfigMap with the kubeconfig of its cluster, where the object names one.',
  cell: object => {
    const target = namedTarget(object)
    return target ? `${target.kind}/${target.name}` : ''
  },
}

/** A version of a kind as shown in tables: a hub has many clusters, so wide tables show that of each object that applies others. */
export const withCluster = ({ group, kind }: Kind, version: KindVersion): KindVersion =>
  appliers.has(`${group}/${kind}`) ? { ...version, columns: [...version.columns, clusterColumn] } : version
