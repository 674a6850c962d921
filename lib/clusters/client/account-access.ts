import { cached } from '../../platform/cloud/cached.ts'
import { clusterAddress } from './cluster-access.ts'
import type { ClusterProvider } from './cluster-provider.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** A token that the hub issues for one of its ServiceAccounts; `expiresAt` in milliseconds since the epoch. */
export type IssueToken = (
  account: { readonly namespace: string; readonly name: string },
  audiences: readonly string[],
) => Promise<{ readonly token: string; readonly expiresAt: number }>

/**
 * Access to clusters that trust this hub as a token issuer (provider `generic`): authenticates as a ServiceAccount of the ConfigMap's
 * namespace, with a token for the cluster's address unless other audiences are named (KS-229, KS-231).
 */
export const accountAccess =
  (issue: IssueToken, clock: { now(): number }): ClusterProvider =>
  async ({ known, namespace, serviceAccountName: name, audiences, at }) => {
    if (!known.address) throw new KubeconfigError(`${at}: address is required with provider generic`)
    if (!name)
      throw new KubeconfigError(
        `${at}: serviceAccountName is required with provider generic: the hub itself has no account`,
      )
    const address = clusterAddress(known.address)
    const wanted = audiences.length > 0 ? audiences : [known.address]
    const make = cached(
      () => issue({ namespace, name }, wanted),
      () => clock.now(),
    )
    return {
      address,
      ...(known.certificateAuthority && { certificateAuthority: known.certificateAuthority }),
      tokens: async signal => (await make(signal)).token,
    }
  }
