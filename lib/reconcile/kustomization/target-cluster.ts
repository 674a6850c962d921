import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { actingAccount } from '../../hub/references/acting-account.ts'
import type { ClusterPorts } from '../applied-objects/reach-cluster.ts'
import { type ReachedTarget, reachTarget } from '../applied-objects/reach-target.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { failure } from './failure.ts'
import { ownerOf } from './owner.ts'
import type { KustomizationSettings } from './settings.ts'

/** The cluster that a Kustomization applies to, with the identity it uses there. */
export const targetCluster = (
  ports: ClusterPorts,
  kustomization: Kustomization,
  settings: KustomizationSettings,
): Promise<ReachedTarget> =>
  reachTarget(ports, kustomization, {
    kubeConfig: kustomization.spec.kubeConfig,
    account: impersonatedAccount(kustomization, settings),
    owner: ownerOf(kustomization),
    onClusterChange: settings.onClusterChange,
  })

/** The ServiceAccount that a Kustomization impersonates; on a remote cluster, the one with the same name. */
export const impersonatedAccount = (
  kustomization: Kustomization,
  { defaultServiceAccount }: KustomizationSettings,
): ObjectRef | undefined => actingAccount(kustomization, { defaultServiceAccount })

/** Connects for a pass; halts if the cluster can't be reached. */
export const connect = async (
  kustomization: Kustomization,
  ports: ClusterPorts & { readonly settings: KustomizationSettings },
  { signal, dryRun, note, confine }: Pick<Pass<Kustomization>, 'signal' | 'dryRun' | 'note' | 'confine'>,
): Promise<ReachedTarget> => {
  try {
    const target = await targetCluster(ports, kustomization, ports.settings)
    note({ cluster: target.reference })
    return { ...target, cluster: await confine(dryRun ? dryRun.cluster(target.cluster) : target.cluster) }
  } catch (error) {
    signal.throwIfAborted()
    const [reason, message] = ['ReconciliationFailed', errorMessage(error)] as const
    const event = { severity: 'error', reason, message: `failed to build kube client: ${message}` } as const
    throw failure(reason, message, { event, cause: error })
  }
}
