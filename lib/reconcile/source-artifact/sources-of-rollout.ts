import { type HelmChart, helmChart } from '../../foundations/kinds/helm-chart.ts'
import type { Rollout } from '../../foundations/kinds/rollout.ts'
import { placedSource, type RolledOutSource } from '../../foundations/rules/rolled-out.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'

/** The sources of a Rollout, HelmCharts with their specs as they are now. Costs a read of each HelmChart. */
export const sourcesOfRollout = (
  rollout: Rollout,
  references: Pick<References, 'anywhere'>,
): Promise<readonly RolledOutSource[]> =>
  Promise.all(
    rollout.spec.sources.map(async reference => {
      const source = placedSource(reference, rollout)
      if (source.kind !== helmChart.kind) return source
      const found = await references.anywhere<HelmChart>(rollout, helmChart, source, everyNamespace)
      return found ? { ...source, chart: found.spec } : source
    }),
  )
