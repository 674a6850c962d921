import { trimmed } from '../foundations/fleet/trimmed.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { recordActions } from '../hub/apiserver/action-events.ts'
import type { ApiHandler } from '../hub/apiserver/api-server.ts'
import type { Authenticate } from '../hub/apiserver/authentication/caller.ts'
import { auditReport } from '../hub/apiserver/fleet/audit-report.ts'
import { fleetIndex } from '../hub/apiserver/fleet/fleet-index.ts'
import { fleetReports } from '../hub/apiserver/fleet/fleet-reports.ts'
import { installationReport } from '../hub/apiserver/installation-report.ts'
import { comparisonReports } from '../hub/live/comparison-reports.ts'
import { liveReports } from '../hub/live/live-reports.ts'
import { createReferences } from '../hub/references/references.ts'
import { orderReports } from '../hub/runners/order-reports.ts'
import { createOrders } from '../hub/runners/orders.ts'
import { runReader } from '../hub/runs/run-reader.ts'
import type { ManagedHub } from '../hub/store/create-hub.ts'
import { leftToRunner } from '../reconcile/runner/left-to-runner.ts'
import type { Loop, LoopSettings } from '../reconcile/runtime/loop.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { createMetrics } from '../signals/metrics/metrics.ts'
import { createSenders } from '../signals/notify/senders/all.ts'
import type { WebhookHandler } from '../signals/webhook/webhook.ts'
import { composeAlerting } from './alerting.ts'
import { composeAppliers } from './appliers.ts'
import { composeArtifactGenerators } from './artifact-generators.ts'
import { composeClusterProbes } from './cluster-probes.ts'
import { composeClusters } from './clusters.ts'
import { composeComparison } from './comparison.ts'
import { composeCopiedSources } from './copied-sources.ts'
import { composeDeliveries } from './deliveries.ts'
import type { EdgeRoute } from './edge.ts'
import { composeFluxInstances } from './flux-instances.ts'
import { composeHelmReleases } from './helm-releases.ts'
import { type ComposedHub, composeHub } from './hub.ts'
import { type ApiExtras, composeApi } from './hub-api.ts'
import { composeImages } from './images.ts'
import { composeInputProviders } from './input-providers.ts'
import { lastChecks } from './last-checks.ts'
import { composeLoop } from './loop.ts'
import { openPgp } from './open-pgp.ts'
import type { CoreSettings, Ports } from './platform.ts'
import { composePullRequests } from './pull-requests.ts'
import { composeReceivers } from './receivers.ts'
import { composeReleasePlans } from './release-plans.ts'
import { composeResourceSets } from './resource-sets.ts'
import { composeRollouts } from './rollouts.ts'
import { composeRunners } from './runners.ts'
import { composeSetComparison } from './set-comparison.ts'
import { composeSources } from './sources.ts'
import { composeWebhook } from './webhook.ts'

/** The product without a platform, in one process: the hub, its API, and the loop that reconciles its objects. */
export interface Core {
  readonly hub: ManagedHub
  /** Who signs the tokens of ServiceAccounts. */
  readonly tokenIssuer: string
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  readonly loop: Loop
  /** The hub's Kubernetes API, for callers that `authenticate` recognizes, and for ServiceAccounts with their tokens. */
  api(authenticate: Authenticate, extras?: Pick<ApiExtras, 'fairness' | 'audit'>): ApiHandler
  /** The API with that of runners in front of it. */
  withRunners(api: ApiHandler, extras: Pick<ApiExtras, 'fairness' | 'audit'>): ApiHandler
  /** Handles webhooks, at the paths below `/hook`. */
  readonly webhook: WebhookHandler
  /** Serves the artifacts of sources, at paths that begin with their kind. */
  readonly artifactRoutes: readonly EdgeRoute[]
  /** Closes connections to clusters. */
  close(): Promise<void>
}

/** The product on a platform's ports. Nothing runs before the loop is started. */
export const composeCore = (ports: Ports, settings: CoreSettings): Core => {
  const composed = composeHub(ports, settings, () => core.reconcilers)
  const core = composeCoreOver(composed, ports, settings)
  return core
}

/** The same with an existing hub, which may be replaced by another cluster. */
export const composeCoreOver = (
  composed: ComposedHub,
  ports: Ports,
  settings: CoreSettings,
  pacing: Partial<LoopSettings> = {},
): Core => {
  const { hub } = composed
  const metrics = createMetrics({ hub, kinds: composed.reconciledKinds, waiting: ports.waiting })
  const runs = runReader({ ...ports, hub })
  const deliveries = composeDeliveries(ports, settings, composed)
  const report = installationReport({ ...ports, ...composed })
  const clusters = composeClusters(ports, settings, composed.tokens)
  const onClusters = liveReports({ ...composed, clusters, clock: ports.clock })
  const compare = composeComparison(ports, settings, composed, clusters)
  const compareSet = composeSetComparison(ports, settings, composed, clusters)
  const compared = comparisonReports({ hub, compare, compareSet })
  const ordered = orderReports({ hub, orders: createOrders(ports), waker: ports.wakeUps ?? ports.heldWakeUps })
  const onHub = fleetReports(fleetIndex(hub, trimmed), ports.clock, ports.usage)
  const audited = auditReport({ ...ports, hub }, settings.runsRetention)
  const fleet: typeof onHub = async (url, viewer) =>
    (await onHub(url, viewer)) ??
    (await audited(url, viewer)) ??
    (await ordered(url, viewer)) ??
    (await compared(url, viewer)) ??
    onClusters(url, viewer)
  const sources = composeSources({ ...ports, ...composed, openPgp }, settings)
  const appliers = composeAppliers({ ...ports, openPgp }, settings, composed, clusters)
  const resourceSets = [
    ...composeResourceSets(ports, settings, composed, clusters),
    ...composeInputProviders(ports, settings, composed, clusters),
  ]
  const helmReleases = composeHelmReleases(ports, settings, composed, clusters)
  const planRelease = composeReleasePlans(ports, settings, composed, clusters)
  const reconcilers = [
    ...sources.reconcilers,
    ...appliers,
    ...helmReleases,
    ...composeReceivers(ports, composed),
    ...resourceSets,
    ...composeRollouts(ports, settings, composed),
    ...composePullRequests({ ...ports, openPgp }, settings, composed, clusters, planRelease),
    ...composeArtifactGenerators(ports, settings, composed),
    ...composeFluxInstances(ports, settings, composed),
    ...composeImages({ ...ports, openPgp }, settings, composed),
    ...composeClusterProbes(ports, composed, clusters),
  ]
  const copiedSources = composeCopiedSources(ports, settings, composed)
  const parts = {
    reconcilers,
    addressed: reconcilers,
    senders: createSenders,
    metrics,
    isElsewhere: leftToRunner(createReferences(hub)),
  }
  return {
    hub,
    tokenIssuer: composed.tokens.issuer,
    reconcilers,
    loop: composeLoop(ports, settings, composed, parts, pacing),
    api: (authenticate, extras) =>
      composeApi(composed.apiParts, authenticate, {
        metrics,
        runs,
        deliveries,
        fleet,
        report,
        lastChecks: lastChecks(ports),
        actions: recordActions(composeAlerting(ports, settings, composed).events.record),
        ...extras,
      }),
    withRunners: (api, extras) =>
      composeRunners(ports, settings, composed, reconcilers, api, { ...extras, copiedSources }),
    webhook: composeWebhook({ ...ports, observeWebhook: metrics.observeWebhook }, settings, composed),
    artifactRoutes: sources.artifactRoutes,
    close: clusters.close,
  }
}
