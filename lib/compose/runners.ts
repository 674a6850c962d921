import type { ObjectRef } from '../foundations/kinds/object.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import type { ApiHandler } from '../hub/apiserver/api-server.ts'
import { createReferences } from '../hub/references/references.ts'
import { createOrders } from '../hub/runners/orders.ts'
import { pollingPace, waitingPace } from '../hub/runners/pace.ts'
import { type RunnerApiOptions, withRunners } from '../hub/runners/runner-api.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { defaultResourceSetSettings } from '../reconcile/resource-set/settings.ts'
import { type CopiedSources, dataOfSets } from '../reconcile/runner/data-of-set.ts'
import { releaseCharts } from '../reconcile/runner/release-charts.ts'
import { enqueueDependents } from '../reconcile/runtime/news.ts'
import type { Addressed } from '../reconcile/runtime/reconciler.ts'
import { readArtifact, refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import { composeAlerting } from './alerting.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'
import { version } from './version.ts'

/** What a runner has no means for: programs, a stage of its own for builds, and tokens of the hub's accounts. */
const notThere = { pluginGroups: [], buildAhead: false, objectLevelWorkloadIdentity: false }

/** Those that decide what a unit may do. */
const settingsForRunners = (settings: CoreSettings): CoreSettings => {
  const kept = new Set([
    ...Object.keys(defaultKustomizationSettings),
    ...Object.keys(defaultHelmReleaseSettings),
    'defaultServiceAccount',
  ])
  const chosen = Object.entries(settings).filter(([name, value]) => kept.has(name) && value !== undefined)
  return { ...(Object.fromEntries(chosen) as unknown as CoreSettings), ...notThere }
}

type RunnerExtras = Pick<RunnerApiOptions, 'fairness' | 'audit'> & { readonly copiedSources: CopiedSources }

/** The API with that of runners in front of it. */
export const composeRunners = (
  ports: Ports,
  settings: CoreSettings,
  { hub, hubCluster, signRun }: Pick<ComposedHub, 'hub' | 'hubCluster' | 'signRun'>,
  addressed: readonly Addressed[],
  api: ApiHandler,
  { copiedSources, ...extras }: RunnerExtras,
): ApiHandler => {
  const references = createReferences(hub)
  const refetch = refetchThrough({ ...ports, references })
  const dataOfSet = dataOfSets({
    ...{ copiedSources, references, hubCluster, clock: ports.clock },
    settings: { ...defaultResourceSetSettings, ...settings },
    onError: (error, { metadata: { namespace, name } }) =>
      ports.log.error('what a ResourceSet of a runner copies is not known', { namespace, name, error }),
  })
  const { wakeUps, heldWakeUps, schedule, clock } = ports
  const { leaseMs, watchMs, pollAfterMs } = waitingPace
  const waiting = wakeUps && {
    pace: waitingPace,
    wakeUp: async (access: TargetReference) => ({ url: await wakeUps.open(describeTarget(access)), pollAfterMs }),
    putWatchOff: async (cluster: ObjectRef) => {
      await schedule.claim(cluster, clock.now() + watchMs, clock.now() + leaseMs)
    },
  }
  return withRunners({
    ...(waiting ?? { pace: pollingPace, ...(heldWakeUps && { heldWakeUps }) }),
    ...{ ...ports, ...extras },
    ...{ api, hub, version, settings: settingsForRunners(settings) },
    ...{ runs: { ...ports, signRun }, runsRetention: settings.runsRetention, orders: createOrders(ports) },
    dataOfSet,
    charts: releaseCharts(hubCluster()),
    enqueueDependents: ref => enqueueDependents({ ...ports, hub }, addressed, ref),
    // A damaged artifact is not served until its source has fetched it again.
    read: artifact => readArtifact({ ...ports, refetch }, artifact).catch(() => undefined),
    recordEvent: composeAlerting(ports, settings, { hub }).events.record,
    onError: error => ports.log.error('a request of a runner failed', { error }),
  })
}
