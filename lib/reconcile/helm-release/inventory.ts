import type { ClusterClient } from '../../clusters/client/client.ts'
import { crdsOf } from '../../engines/helm/chart-crds.ts'
import { chartTree } from '../../engines/helm/chart-tree.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { parseYaml } from '../../engines/yaml/parse.ts'
import type { InventoryEntry } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { inventoryEntry } from '../../foundations/rules/inventory.ts'
import type { Chart } from '../../sources/helm/chart.ts'

/** The objects of a release, without hooks, and the chart's CRDs (HR-104). */
export const inventoryOf = async (
  cluster: Pick<ClusterClient, 'resourceFor'>,
  release: Release,
  chart: Chart,
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> => {
  const placed = await placedObjects(cluster, release, signal)
  const crds = crdsOf(chartTree(chart)).flatMap(({ data }) => objectsIn(Buffer.from(data).toString('utf8')))
  return [...placed, ...crds].map(inventoryEntry)
}

/** The objects of a release, without hooks, each in its namespace. */
export const placedObjects = (
  cluster: Pick<ClusterClient, 'resourceFor'>,
  { manifest = '', namespace = '' }: Release,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> => {
  const objects = objectsIn(manifest).filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook'])
  return Promise.all(objects.map(object => inNamespace(cluster, object, namespace, signal)))
}

const objectsIn = (text: string): readonly KubernetesObject[] =>
  (parseYaml(text) as unknown as readonly (KubernetesObject | null)[])
    .flatMap(object => (object?.kind.endsWith('List') && Array.isArray(object.items) ? object.items : [object]))
    .filter((object): object is KubernetesObject => object !== null && typeof object === 'object' && !!object.kind)

const inNamespace = async (
  cluster: Pick<ClusterClient, 'resourceFor'>,
  object: KubernetesObject,
  namespace: string,
  signal: AbortSignal,
): Promise<KubernetesObject> => {
  if (object.metadata.namespace) return object
  const resource = await cluster.resourceFor(object.apiVersion, object.kind, { signal }).catch(() => undefined)
  return resource?.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object
}
