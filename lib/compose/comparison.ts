import type { Clusters } from '../clusters/client/clusters.ts'
import type { HelmRelease } from '../foundations/kinds/helm-release.ts'
import type { Kustomization } from '../foundations/kinds/kustomization.ts'
import type { Compare } from '../hub/live/comparison-reports.ts'
import { createReferences } from '../hub/references/references.ts'
import { compareHelmRelease } from '../reconcile/helm-release/compare.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import { compareKustomization } from '../reconcile/kustomization/compare.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { compareHere } from './compare-here.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Compares Kustomizations and HelmReleases. */
export const composeComparison = (
  ports: Ports,
  settings: CoreSettings,
  hub: HubOfAppliers,
  clusters: Clusters,
): Compare => {
  const parts = { ...ports, ...hub, clusters, references: createReferences(hub.hub) }
  return compareHere(parts, (unit, dryPass) => {
    if (unit.kind === 'HelmRelease')
      return compareHelmRelease(unit as HelmRelease, dryPass(), {
        ...parts,
        settings: { ...defaultHelmReleaseSettings, ...settings },
      })
    return compareKustomization(unit as Kustomization, dryPass(), {
      ...parts,
      settings: { ...defaultKustomizationSettings, ...settings },
    })
  })
}
