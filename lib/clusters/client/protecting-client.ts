import { describeRef, type ObjectRef } from '../../foundations/kinds/object.ts'
import { type CallOptions, type ClusterClient, ClusterError } from './client.ts'

/** Kinds whose objects stay on a cluster, and who says so: `Cluster apps/prod`. */
export interface Protection {
  readonly by: string
  readonly kinds: readonly { readonly group?: string; readonly kind: string }[]
}

/** Keelson's own reason of a deletion that a Cluster forbids: in the error, and of Ready. */
export const deletionProtected = 'DeletionProtected'

/**
 * A cluster whose protected objects can't be deleted by this client, whatever for: not to prune, not to recreate them, not with their Namespace
 * or the definition of their kind. Fails with a ClusterError before it sends the deletion.
 */
export const protectingClient = (cluster: ClusterClient, protections: readonly Protection[]): ClusterClient => {
  const all = protections.flatMap(({ by, kinds }) => kinds.map(({ group = '', kind }) => ({ by, group, kind })))

  const requireDeletable = async (ref: ObjectRef, options: CallOptions): Promise<void> => {
    for (const { by, group, kind } of all) {
      const refuse = (why: string): never => {
        const message = `${by} protects ${group ? `${kind}.${group}` : kind}: ${describeRef(ref)} ${why}`
        throw new ClusterError('forbidden', message, { reason: deletionProtected })
      }
      if (ref.group === group && ref.kind === kind) refuse('is not deleted')
      const isNamespace = ref.group === '' && ref.kind === 'Namespace'
      if (!isNamespace && (ref.kind !== 'CustomResourceDefinition' || !group)) continue
      const served = await cluster.resourceInAnyVersion(group, kind, options)
      if (!served) continue
      if (!isNamespace) {
        if (ref.name === `${served.plural}.${group}`) refuse('is not deleted, for its instances would be')
        continue
      }
      const apiVersion = group ? `${group}/${served.version}` : served.version
      const query = { apiVersion, kind, namespace: ref.name, limit: 1, metadataOnly: true }
      const [inside] = served.namespaced ? (await cluster.list(query, options)).items : []
      if (inside) refuse(`is not deleted, for ${inside.metadata.name} is in it`)
    }
  }

  return {
    ...cluster,
    requireDeletable,
    delete: async (apiVersion, ref, options) => {
      await requireDeletable(ref, { signal: options.signal })
      return cluster.delete(apiVersion, ref, options)
    },
  }
}
