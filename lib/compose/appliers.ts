import type { Clusters } from '../cluster/clusters.ts'
import { connections } from '../http/connections.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { OpenPgp } from '../ports/open-pgp.ts'
import { kustomizationReconciler } from '../reconcile/kustomization/kustomization.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { foreignArtifacts } from '../source/artifact/foreign-artifacts.ts'
import { remoteBases } from '../source/bases/remote-bases.ts'
import { gitClient } from '../source/git/git-client.ts'
import { withAccountTokens } from './account-tokens.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Reconcilers of some kinds, and what they hold open. */
export interface Reconcilers {
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  close(): Promise<void>
}

/** What builds and applies Kustomizations. */
export const composeAppliers = (
  ports: Ports & { readonly openPgp: OpenPgp },
  settings: CoreSettings,
  { hub, hubCluster, tokens }: Pick<ComposedHub, 'hub' | 'hubCluster' | 'tokens'>,
  clusters: Clusters,
): Reconcilers => {
  const git = gitClient(connections(ports.outside))
  const remotes = remoteBases(git, connections(ports.outside))
  const foreign = foreignArtifacts(connections(ports.outside))
  const kustomizations = kustomizationReconciler(
    {
      ...ports,
      hub,
      clusters,
      hubCluster,
      remotes,
      download: foreign.download,
      cloudKeys: withAccountTokens(ports.cloudKeys, tokens, settings),
    },
    { ...defaultKustomizationSettings, ...settings },
  )
  return {
    reconcilers: [kustomizations] as unknown as readonly Reconciler<KubernetesObject>[],
    close: async () => {
      await Promise.all([git.close(), remotes.close(), foreign.close()])
    },
  }
}
