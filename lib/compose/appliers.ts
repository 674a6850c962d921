import type { Clusters } from '../clusters/client/clusters.ts'
import type { Remotes } from '../engines/kustomize/remotes.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { once } from '../foundations/rules/once.ts'
import { createReferences } from '../hub/references/references.ts'
import type { Connections } from '../platform/http/connections.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import { kustomizationReconciler } from '../reconcile/kustomization/kustomization.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import { externalArtifactDownload } from '../sources/artifact/external-artifact.ts'
import { withAccountTokens } from './account-tokens.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Loaded with the first remote base: most builds have none. */
const remotesBy = (connections: Connections): Remotes => {
  const loaded = once(async () => {
    const [{ remoteBases }, { gitClient }, { inMemoryLimits }] = await Promise.all([
      import('../sources/bases/remote-bases.ts'),
      import('../sources/git/git-client.ts'),
      import('../sources/git/limits.ts'),
    ])
    return remoteBases(gitClient(connections, { limits: inMemoryLimits }), connections)
  })
  return {
    file: async url => (await loaded()).file(url),
    repository: async target => (await loaded()).repository(target),
  }
}

/** What building and applying Kustomizations needs. */
export const applierPorts = (
  ports: Ports & { readonly openPgp: OpenPgp },
  settings: CoreSettings,
  { hub, hubCluster, isOfHub, hasReferrers, tokens }: HubOfAppliers,
  clusters: Clusters,
) => {
  const references = createReferences(hub)
  return {
    ...ports,
    hub,
    references,
    refetch: refetchThrough({ ...ports, references }),
    clusters,
    hubCluster,
    isOfHub,
    hasReferrers,
    remotes: remotesBy(ports.connections),
    download: externalArtifactDownload(ports.connections),
    cloudKeys: withAccountTokens(ports.cloudKeys, tokens, settings),
  }
}

/** The reconcilers that build and apply Kustomizations. */
export const composeAppliers = (
  ...[ports, settings, hub, clusters]: Parameters<typeof applierPorts>
): readonly Reconciler<KubernetesObject>[] => [
  kustomizationReconciler(applierPorts(ports, settings, hub, clusters), {
    ...defaultKustomizationSettings,
    ...settings,
  }),
]
