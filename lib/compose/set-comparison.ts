import type { Clusters } from '../clusters/client/clusters.ts'
import type { ResourceSet } from '../foundations/kinds/resource-set.ts'
import type { Compare } from '../hub/live/comparison-reports.ts'
import { createReferences } from '../hub/references/references.ts'
import { compareResourceSet } from '../reconcile/resource-set/compare.ts'
import type { ResourceSetPorts } from '../reconcile/resource-set/context.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { compareHere } from './compare-here.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Compares ResourceSets. */
export const composeSetComparison = (
  ports: Ports & Pick<ResourceSetPorts, 'dataOfHub'>,
  settings: CoreSettings,
  hub: HubOfAppliers,
  clusters: Clusters,
): Compare => {
  const parts = { ...ports, ...hub, clusters, references: createReferences(hub.hub) }
  return compareHere(parts, (unit, dryPass) =>
    compareResourceSet(unit as ResourceSet, dryPass(), {
      ...parts,
      settings: { ...defaultResourceSetSettings, ...settings },
    }),
  )
}
