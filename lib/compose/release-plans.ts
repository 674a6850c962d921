import type { Clusters } from '../clusters/client/clusters.ts'
import { helmReleasePlanner, type PlanRelease } from '../reconcile/helm-release/plan-head.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import { chartLimitsOf } from './chart-limits.ts'
import { releasePorts } from './helm-releases.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Plans HelmReleases at the heads of pull requests, in this process. */
export const composeReleasePlans = (
  ports: Ports,
  settings: CoreSettings,
  hub: Pick<ComposedHub, 'hub' | 'hubCluster'>,
  clusters: Clusters,
): PlanRelease =>
  helmReleasePlanner(
    releasePorts(ports, hub, clusters),
    { ...defaultHelmReleaseSettings, ...settings },
    chartLimitsOf(settings),
  )
