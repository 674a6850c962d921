import { type Clusters, clusters as remoteClusters } from '../cluster/clusters.ts'
import { eksAccess } from '../cluster/eks-access.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { kustomizationReconciler } from '../reconcile/kustomization/kustomization.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { remoteBases } from '../source/bases/remote-bases.ts'
import { gitClient } from '../source/git/git-client.ts'
import { guardedFetch } from '../source/http/guarded-fetch.ts'
import { withAccountTokens } from './cloud-keys.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Reconcilers of some kinds, and what they hold open. */
export interface Reconcilers {
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  close(): Promise<void>
}

/** The remote clusters, as the identity that the platform has. */
export const composeClusters = ({ clock, log, identities }: Ports): Clusters => {
  const { aws, environment = {} } = identities ?? {}
  return remoteClusters({
    clock,
    ...(aws && { eks: eksAccess({ identity: aws, environment, fetch: guardedFetch(), clock }) }),
    onWarning: (server, warning) => log.info('a kubeconfig asks for something that is left out', { server, warning }),
  })
}

/** What builds and applies Kustomizations. */
export const composeAppliers = (
  ports: Ports,
  settings: CoreSettings,
  { hub, hubCluster, tokens }: Pick<ComposedHub, 'hub' | 'hubCluster' | 'tokens'>,
  clusters: Clusters,
): Reconcilers => {
  const git = gitClient()
  const remotes = remoteBases(git)
  const kustomizations = kustomizationReconciler(
    { ...ports, hub, clusters, hubCluster, remotes, cloudKeys: withAccountTokens(ports.cloudKeys, tokens, settings) },
    { ...defaultKustomizationSettings, ...settings },
  )
  return {
    reconcilers: [kustomizations] as unknown as readonly Reconciler<KubernetesObject>[],
    close: async () => {
      await Promise.all([git.close(), remotes.close()])
    },
  }
}
