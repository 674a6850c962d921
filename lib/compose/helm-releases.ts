import { randomBytes } from 'node:crypto'
import type { Clusters } from '../clusters/client/clusters.ts'
import { install } from '../clusters/helm-release/install.ts'
import { rollback } from '../clusters/helm-release/rollback.ts'
import { test } from '../clusters/helm-release/test.ts'
import { uninstall } from '../clusters/helm-release/uninstall.ts'
import { unlock } from '../clusters/helm-release/unlock.ts'
import { upgrade } from '../clusters/helm-release/upgrade.ts'
import type { FunctionMap } from '../engines/template/values/value.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { once } from '../foundations/rules/once.ts'
import { createReferences } from '../hub/references/references.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { HelmReleasePorts } from '../reconcile/helm-release/context.ts'
import { helmReleaseReconciler } from '../reconcile/helm-release/helm-release.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import { externalArtifactDownload } from '../sources/artifact/external-artifact.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

const templateFunctions = async ({ now }: Pick<Clock, 'now'>): Promise<FunctionMap> => {
  const [{ chartFunctions }, { newKey }] = await Promise.all([
    import('../engines/helm/functions.ts'),
    import('../engines/template/certificates/private-key.ts'),
  ])
  return chartFunctions({ now, bytes: randomBytes, newKey })
}

/** What releasing charts needs. */
export const releasePorts = (
  ports: Ports,
  { hub, hubCluster }: Pick<ComposedHub, 'hub' | 'hubCluster'>,
  clusters: Clusters,
): HelmReleasePorts => ({
  ...ports,
  hub,
  references: createReferences(hub),
  refetch: refetchThrough({ ...ports, references: createReferences(hub) }),
  clusters,
  hubCluster,
  download: externalArtifactDownload(ports.connections),
  actions: { install, upgrade, rollback, uninstall, test, unlock },
  functions: once(() => templateFunctions(ports.clock)),
})

/** The reconciler that installs charts. */
export const composeHelmReleases = (
  ports: Ports,
  settings: CoreSettings,
  hub: Pick<ComposedHub, 'hub' | 'hubCluster'>,
  clusters: Clusters,
): readonly Reconciler<KubernetesObject>[] => [
  helmReleaseReconciler(releasePorts(ports, hub, clusters), { ...defaultHelmReleaseSettings, ...settings }),
]
