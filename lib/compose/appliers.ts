import type { Clusters } from '../cluster/clusters.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { OpenPgp } from '../ports/open-pgp.ts'
import { kustomizationReconciler } from '../reconcile/kustomization/kustomization.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import { createReferences } from '../references/references.ts'
import { foreignArtifact } from '../source/artifact/foreign-artifact.ts'
import { remoteBases } from '../source/bases/remote-bases.ts'
import { gitClient, limitsInMemory } from '../source/git/git-client.ts'
import { withAccountTokens } from './account-tokens.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** What builds and applies Kustomizations. */
export const composeAppliers = (
  ports: Ports & { readonly openPgp: OpenPgp },
  settings: CoreSettings,
  { hub, hubCluster, tokens }: Pick<ComposedHub, 'hub' | 'hubCluster' | 'tokens'>,
  clusters: Clusters,
): readonly Reconciler<KubernetesObject>[] => {
  const { connections } = ports
  const kustomizations = kustomizationReconciler(
    {
      ...ports,
      references: createReferences(hub),
      refetch: refetchThrough(ports),
      clusters,
      hubCluster,
      remotes: remoteBases(gitClient(connections, limitsInMemory), connections),
      download: foreignArtifact(connections),
      cloudKeys: withAccountTokens(ports.cloudKeys, tokens, settings),
    },
    { ...defaultKustomizationSettings, ...settings },
  )
  return [kustomizations]
}
