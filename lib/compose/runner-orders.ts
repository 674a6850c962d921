import type { Clusters } from '../clusters/client/clusters.ts'
import type { KubernetesObject, ObjectRef } from '../foundations/kinds/object.ts'
import { refOf } from '../foundations/kinds/object.ts'
import { once } from '../foundations/rules/once.ts'
import type { OrderType } from '../hub/runners/orders.ts'
import type { OrderPerformers } from '../reconcile/runner/ordered-work.ts'
import { dryRunAlone } from '../reconcile/runtime/dry-run-pass.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import type { HubOfAppliers } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The types of orders that a runner takes. */
export const takenOrders: readonly OrderType[] = ['plan', 'comparison']

interface PerformerPorts {
  readonly ports: Ports
  readonly settings: CoreSettings
  /** The runner's own. */
  readonly hub: HubOfAppliers
  readonly clusters: Clusters
  /** As the runner's passes use them: they refuse what the runner must not plan. */
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  /** Why the runner does not apply a unit, and so does not compare it either. */
  readonly refusalOf: (unit: KubernetesObject) => string | undefined
}

/** What a runner does for users of its hub: with the code and the identities of its passes. */
export const orderPerformers = (given: PerformerPorts): OrderPerformers => {
  const { ports, settings, hub, clusters, reconcilers, refusalOf } = given
  // Loaded with the first comparison: that of releases takes 2 MB.
  const compare = once(async () => {
    const { composeComparison } = await import('./comparison.ts')
    return composeComparison(ports, settings, hub, clusters)
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
      const found = await (await compare())(refOf(unit))
      if ('notCompared' in found) throw new Error(found.notCompared)
      return found
    },
  }
}

const reconcilerOf = (
  reconcilers: readonly Reconciler<KubernetesObject>[],
  { group, kind }: ObjectRef,
): Partial<Reconciler<KubernetesObject>> =>
  reconcilers.find(one => one.kind.group === group && one.kind.kind === kind) ?? {}
