import type { ActionDeps } from '../../clusters/helm-release/action.ts'
import { crdsOf } from '../../engines/helm/chart-crds.ts'
import { chartTree } from '../../engines/helm/chart-tree.ts'
import { manifestObjects } from '../../engines/helm/release/manifest-text.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { InventoryEntry } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { inventoryEntry } from '../../foundations/rules/inventory.ts'
import type { Chart } from '../../sources/helm/chart.ts'

export type PlaceDeps = Pick<ActionDeps, 'readManifest'> & {
  readonly cluster: Pick<ActionDeps['cluster'], 'resourceFor'>
}

/** The objects of a release, without hooks, and the chart's CRDs (HR-104). */
export const inventoryOf = async (
  deps: PlaceDeps,
  release: Release,
  chart: Chart,
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> => {
  const placed = await placedObjects(deps, release, signal)
  const crds = crdsOf(chartTree(chart)).flatMap(({ data }) => objectsIn(Buffer.from(data).toString('utf8'), deps))
  return [...placed, ...crds].map(inventoryEntry)
}

/** The objects of a release, without hooks, each in its namespace. */
export const placedObjects = (
  deps: PlaceDeps,
  { manifest = '', namespace = '' }: Release,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> => {
  const objects = objectsIn(manifest, deps).filter(({ metadata }) => !metadata.annotations?.['helm.sh/hook'])
  return Promise.all(objects.map(object => inNamespace(deps, object, namespace, signal)))
}

const objectsIn = (text: string, { readManifest = manifestObjects }: PlaceDeps): readonly KubernetesObject[] =>
  (readManifest(text) as unknown as readonly KubernetesObject[]).filter(({ kind }) => !!kind)

const inNamespace = async (
  { cluster }: PlaceDeps,
  object: KubernetesObject,
  namespace: string,
  signal: AbortSignal,
): Promise<KubernetesObject> => {
  if (object.metadata.namespace) return object
  const resource = await cluster.resourceFor(object.apiVersion, object.kind, { signal }).catch(() => undefined)
  return resource?.namespaced ? { ...object, metadata: { ...object.metadata, namespace } } : object
}
