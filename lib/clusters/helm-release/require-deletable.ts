import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { ActionDeps } from './action.ts'

/**
 * Fails with a ClusterError if an action would later be kept from deleting one of these objects, because its Cluster protects the kind. Objects
 * that are gone, or that Helm keeps, are not deleted. One that can't be read is left to the deletion itself, which the client refuses in any case.
 */
export const requireDeletable = async (
  { cluster, signal }: ActionDeps,
  objects: readonly KubernetesObject[],
): Promise<void> => {
  if (!cluster.requireDeletable) return
  for (const object of objects) {
    const ref = refOf(object)
    const live = await cluster.get(object.apiVersion, ref, { metadataOnly: true, signal }).catch(() => undefined)
    const isKept = [object, live].some(one => one?.metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
    if (live && !isKept) await cluster.requireDeletable(ref, { signal })
  }
}
