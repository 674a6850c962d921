import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'

/** Which runner works on a cluster, as the cluster itself knows it: the last one that took the lease of the hub. */
export interface ClusterClaim {
  /**
   * Writes the claim of this runner, which replaces any other, and writes it only once. Without `isWanted` it replaces a claim, but makes none: then
   * another runner may be working without the hub. Fails while the cluster does not respond.
   */
  raise(isWanted: boolean): Promise<void>
  /** Whether this runner has claimed the cluster, and none has since. False while the cluster does not respond. */
  isOurs(): Promise<boolean>
}

interface ClaimOptions {
  readonly client: () => Promise<ClusterClient>
  /** The Cluster. */
  readonly of: Pick<ObjectRef, 'namespace' | 'name'>
  /** Unlike any other runner, and any other lease of this one. */
  readonly holder: string
}

const apiVersion = 'coordination.k8s.io/v1'

/** Where Kubernetes has the leases of its own components. */
const namespace = 'kube-system'

/** The claim of one runner process, a Lease in the namespace kube-system of its cluster. An account that may not get and patch that Lease never has the claim. */
export const clusterClaim = ({ client, of, holder }: ClaimOptions): ClusterClaim => {
  const name = `keelson-runner.${of.namespace}.${of.name}`
  const ref = { group: 'coordination.k8s.io', kind: 'Lease', namespace, name }
  const lease = { apiVersion, kind: 'Lease', metadata: { namespace, name }, spec: { holderIdentity: holder } }
  let is: 'open' | 'nobody' | 'ours' | 'refused' = 'open'
  const read = async () => (await client()).get(apiVersion, ref)

  return {
    raise: async isWanted => {
      if (is === 'ours' || is === 'refused' || (is === 'nobody' && !isWanted)) return
      try {
        if (!isWanted && !(await read())) {
          is = 'nobody'
          return
        }
        await (await client()).apply(lease as KubernetesObject, { fieldManager: 'keelson-runner', force: true })
        is = 'ours'
      } catch (error) {
        if (!(error instanceof ClusterError && refusals.has(error.code))) throw error
        is = 'refused'
      }
    },
    isOurs: async () => {
      if (is !== 'ours') return false
      const found = await read().catch(() => undefined)
      return (found?.spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity === holder
    },
  }
}

/** What no retry changes: the runner may not write it. */
const refusals: ReadonlySet<string> = new Set(['forbidden', 'unauthorized', 'noMatch', 'invalid'])
