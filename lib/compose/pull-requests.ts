import type { Clusters } from '../clusters/client/clusters.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { areTaken } from '../hub/runners/order-takers.ts'
import { createOrders } from '../hub/runners/orders.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import type { PlanRelease } from '../reconcile/helm-release/plan-head.ts'
import { kustomizationPlanner } from '../reconcile/kustomization/plan-head.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import { pullRequestReconciler } from '../reconcile/pull-request/pull-request.ts'
import { leftToRunner } from '../reconcile/runner/left-to-runner.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { applierPorts } from './appliers.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconciler that plans the heads of pull requests. `planRelease` plans HelmReleases, in this process or another one. */
export const composePullRequests = (
  ports: Ports & { readonly openPgp: OpenPgp },
  settings: CoreSettings,
  hub: HubOfAppliers,
  clusters: Clusters,
  planRelease: PlanRelease,
): readonly Reconciler<KubernetesObject>[] => {
  const given = applierPorts(ports, settings, hub, clusters)
  const { references } = given
  return [
    pullRequestReconciler({
      ...{ hub: hub.hub, references, clock: ports.clock, connections: ports.connections },
      ...{ isElsewhere: leftToRunner(references), orders: createOrders(ports) },
      areTaken: type => areTaken(type, hub.hub),
      waker: ports.wakeUps ?? ports.heldWakeUps,
      kustomizations: kustomizationPlanner(given, { ...defaultKustomizationSettings, ...settings }),
      planRelease,
    }),
  ]
}
