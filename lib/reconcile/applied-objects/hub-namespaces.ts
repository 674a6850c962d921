import { type CallOptions, type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { describeTarget, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import { type InheritedTarget, targetOfNamespace } from '../../foundations/rules/target.ts'
import { isMarkedUnused } from './empty-namespaces.ts'

/** The namespaces of the hub that an applier with an inherited target may use. */
export interface HubNamespaces {
  /**
   * Whether a namespace exists, and is not about to be deleted because it is empty. Fails with a ClusterError if it is not one of the target's: if
   * it neither names the target nor is the applier's own.
   */
  requireOwn(name: string, options?: CallOptions): Promise<boolean>
}

/**
 * Namespaces for one pass, which reads each at most once; one that is missing is read again, since others may create
 * it. `hub` reads as the hub itself.
 */
export const namespacesOf = (
  hub: Pick<ClusterClient, 'get'>,
  { reference, ...inherited }: InheritedTarget,
): HubNamespaces => {
  const wanted = describeTarget(reference)
  const own = inherited.prefix + inherited.namespace
  const known = new Map<string, Promise<boolean>>()

  const find = async (name: string, options?: CallOptions): Promise<boolean> => {
    if (inherited.prefix && !name.startsWith(inherited.prefix))
      throw foreignNamespace(name, 'is not one of this cluster')
    const ref = { group: '', kind: 'Namespace', namespace: '', name }
    const namespace = await hub.get('v1', ref, { ...options, metadataOnly: true })
    if (!namespace) return false
    const target = targetOfNamespace(namespace)
    if (!target && inherited.setOn === 'object' && name === own) return true
    if (target && describeTarget(target) === wanted) return !isMarkedUnused(namespace)
    throw foreignNamespace(name, target ? `is for ${describeTarget(target)}` : 'is for no cluster')
  }
  const foreignNamespace = (name: string, why: string): ClusterError =>
    new ClusterError(
      'forbidden',
      `Namespace ${name} of the hub ${why}, so nothing of ${wanted} is applied there: annotate it with ${targetAnnotation}=${wanted}, or give the cluster namespaces of its own`,
    )
  return {
    requireOwn: async (name, options) => {
      const found = known.get(name) ?? find(name, options)
      known.set(name, found)
      found.then(
        isThere => isThere || known.delete(name),
        () => known.delete(name),
      )
      return found
    },
  }
}
