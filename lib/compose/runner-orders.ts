import type { ClusterClient } from '../clusters/client/client.ts'
import type { Clusters } from '../clusters/client/clusters.ts'
import type { Impersonation } from '../clusters/client/kubeconfig.ts'
import type { HeadPlan } from '../foundations/fleet/head-plan.ts'
import type { LiveTree } from '../foundations/fleet/live.ts'
import { blobNameOf } from '../foundations/kinds/artifact.ts'
import { type HelmRelease, helmRelease } from '../foundations/kinds/helm-release.ts'
import type { Kustomization } from '../foundations/kinds/kustomization.ts'
import type { KubernetesObject, ObjectRef } from '../foundations/kinds/object.ts'
import { refOf } from '../foundations/kinds/object.ts'
import { resourceSet } from '../foundations/kinds/resource-set.ts'
import { errorMessage } from '../foundations/rules/error-message.ts'
import { once } from '../foundations/rules/once.ts'
import { readLive } from '../hub/live/read-live.ts'
import { isSystemName } from '../hub/live/stored-access.ts'
import type { HeadWork, LiveWork, OrderType, ReleaseWork } from '../hub/runners/orders.ts'
import { ApiError } from '../hub/store/hub.ts'
import type { ArtifactStore } from '../platform/ports/artifacts.ts'
import type { Clock } from '../platform/ports/clock.ts'
import type { OpenPgp } from '../platform/ports/open-pgp.ts'
import { kustomizationPlanner } from '../reconcile/kustomization/plan-head.ts'
import { defaultKustomizationSettings } from '../reconcile/kustomization/settings.ts'
import type { ResourceSetPorts } from '../reconcile/resource-set/context.ts'
import type { OrderPerformers, PerformOrder } from '../reconcile/runner/ordered-work.ts'
import { dryRunAlone } from '../reconcile/runtime/dry-run-pass.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { requireDigest } from '../reconcile/source-artifact/read-artifact.ts'
import { NotVerified } from '../sources/verify/not-verified.ts'
import { applierPorts } from './appliers.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The types of orders that a runner takes: what is on its cluster is only for a hub that its owner lets read. */
export const orderTypesTaken = (isLive: boolean): readonly OrderType[] => [
  'plan',
  'comparison',
  'head',
  'release',
  ...(isLive ? (['live'] as const) : []),
]

interface PerformerPorts {
  readonly ports: Ports & Pick<ResourceSetPorts, 'dataOfHub'> & { readonly openPgp: OpenPgp }
  readonly settings: CoreSettings
  /** The runner's own. */
  readonly hub: HubOfAppliers
  readonly clusters: Clusters
  /** As the runner's passes use them: they refuse what the runner must not plan. */
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  /** Why the runner does not apply a unit, and so does not compare it either. */
  readonly refusalOf: (unit: KubernetesObject) => string | undefined
  /** The store of its passes with what an order is about in it, by the names there. Reads fail with NotVerified where a signature is missing. */
  readonly artifactsWith: (names: readonly string[]) => ArtifactStore
  /** The cluster as a user sees it; absent unless the owner of the runner lets the hub read. */
  readonly clusterAs?: ((as: Impersonation) => Promise<ClusterClient>) | undefined
}

/** What a runner does for users of its hub: with the code and the identities of its passes. */
export const orderPerformers = (given: PerformerPorts): OrderPerformers => {
  const { ports, settings, hub, clusters, reconcilers, refusalOf, clusterAs } = given
  // Loaded with the first comparison: that of releases takes 2 MB.
  const compare = once(async () => {
    const { composeComparison } = await import('./comparison.ts')
    return composeComparison(ports, settings, hub, clusters)
  })
  const compareSet = once(async () => {
    const { composeSetComparison } = await import('./set-comparison.ts')
    return composeSetComparison(ports, settings, hub, clusters)
  })
  return {
    plan: async (unit, _, signal) => {
      const { preview } = reconcilerOf(reconcilers, refOf(unit))
      if (!preview) throw new Error(`a ${unit.kind} is not planned by runners`)
      return { plan: await preview(unit, dryRunAlone({ signal, startedAt: ports.clock.now() })) }
    },
    comparison: async unit => {
      const refused = refusalOf(unit)
      if (refused !== undefined) throw new Error(refused)
      const compareUnit = await (unit.kind === resourceSet.kind ? compareSet() : compare())
      const found = await compareUnit(refOf(unit))
      if ('notCompared' in found) throw new Error(found.notCompared)
      return found
    },
    head: headPlanner(given),
    release: releasePlanner(given),
    ...(clusterAs && { live: liveReader(clusterAs, ports.clock) }),
  }
}

/**
 * Plans the head of a pull request, with only that in the result which the repository has itself. What the runner would not apply after the merge is not planned, and
 * fails nothing.
 */
const headPlanner =
  ({ ports, settings, hub, clusters, refusalOf, artifactsWith }: PerformerPorts): PerformOrder<HeadWork> =>
  async (unit, { artifact }, signal): Promise<HeadPlan> => {
    if (unit.kind !== 'Kustomization') throw new Error(`a ${unit.kind} is not planned for pull requests by runners`)
    const refused = refusalOf(unit)
    if (refused !== undefined) return unsigned(refused)
    const name = blobNameOf(artifact)
    const artifacts = artifactsWith([name])
    try {
      const content = await artifacts.get(name)
      if (!content) throw new Error('the hub does not have the head any more')
      requireDigest(content, artifact.digest)
    } catch (error) {
      if (error instanceof NotVerified) return unsigned(error.message)
      throw error
    }
    // A runner fetches no sources again: the hub does.
    const planning = { ...applierPorts({ ...ports, artifacts }, settings, hub, clusters), refetch: async () => {} }
    const planner = kustomizationPlanner(planning, { ...defaultKustomizationSettings, ...settings })
    return planner.plan(unit as Kustomization, artifact, dryRunAlone({ signal, startedAt: ports.clock.now() }))
  }

/** The same for a HelmRelease, as the hub has found it at the head: templates see no values of Secrets, and no objects of the cluster. */
const releasePlanner =
  ({ ports, settings, hub, clusters, refusalOf, artifactsWith }: PerformerPorts): PerformOrder<ReleaseWork> =>
  async (unit, { release }, signal): Promise<HeadPlan> => {
    if (unit.kind !== helmRelease.kind) throw new Error(`a ${unit.kind} is no HelmRelease`)
    const refused = refusalOf(unit)
    if (refused !== undefined) return unsigned(refused)
    const { chart } = release
    const artifacts = artifactsWith(chart ? [chart.base, chart.head].map(blobNameOf) : [])
    // Loaded with the first of them, as Helm's engine is.
    const { composeReleasePlans } = await import('./release-plans.ts')
    const plan = composeReleasePlans({ ...ports, artifacts }, settings, hub, clusters)
    return plan({ ...release, unit: unit as HelmRelease }, dryRunAlone({ signal, startedAt: ports.clock.now() }))
  }

const unsigned = (message: string): HeadPlan => ({
  ...{ type: 'skipped', message },
  open: 'its runner demands signatures, and refuses the head or the unit for the lack of one',
})

/** Reads what is on the cluster for users, whom it impersonates. Never as itself, or as an account of the cluster: a hub that is taken over names the user. */
export const liveReader =
  (clusterAs: (as: Impersonation) => Promise<ClusterClient>, clock: Pick<Clock, 'now'>): PerformOrder<LiveWork> =>
  async (unit, { read, as: { user, groups } }) => {
    if (!user || [user, ...groups].some(isSystemName))
      throw new ApiError(403, 'Forbidden', 'a runner reads for persons only')
    const found = await readLive(unit, await clusterAs({ user, groups }), read, clock.now()).catch(error => {
      throw isLackingRight(errorMessage(error)) ? lackingRight(errorMessage(error)) : error
    })
    const lacking = (found as Partial<LiveTree>).refused?.find(isLackingRight)
    if (lacking !== undefined) throw lackingRight(lacking)
    return found
  }

/** In messages of Kubernetes: with constrained impersonation, on by default since 1.36, the verb is `impersonate-on:user-info:get`. */
const isLackingRight = (message: string): boolean => / cannot impersonate\S* resource /.test(message)

const lackingRight = (message: string): ApiError =>
  new ApiError(
    403,
    'Forbidden',
    `the runner may not impersonate you on its cluster, which keelson join --live-users and --live-groups grant: ${message}`,
  )

const reconcilerOf = (
  reconcilers: readonly Reconciler<KubernetesObject>[],
  { group, kind }: ObjectRef,
): Partial<Reconciler<KubernetesObject>> =>
  reconcilers.find(one => one.kind.group === group && one.kind.kind === kind) ?? {}
