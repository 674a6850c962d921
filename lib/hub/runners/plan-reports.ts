/** What applying a unit of a runner would change, at `/fleet/live/plan`: an order to the runner, and then its result. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { plan } from '../../foundations/kinds/plan.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { isRunnerAccess, ownAccess } from '../../foundations/rules/runner-access.ts'
import type { Waker } from '../../platform/ports/wake-ups.ts'
import type { FleetReports } from '../apiserver/fleet/fleet-reports.ts'
import { visibleUnit } from '../apiserver/fleet/visible-unit.ts'
import { requireAllowed } from '../apiserver/require-allowed.ts'
import { createReferences, type ReferenceReader } from '../references/references.ts'
import { badRequest } from '../store/api-errors.ts'
import { ApiError } from '../store/hub.ts'
import { orderMs, type PlanOrders } from './plan-orders.ts'
import { isRunnerUnit } from './units.ts'
import { noRunnerReasons } from './watch-runner.ts'

interface PlanReportPorts {
  readonly hub: ReferenceReader
  readonly orders: PlanOrders
  /** Wakes the runner. */
  readonly waker: Waker | undefined
}

const path = '/fleet/live/plan'

/**
 * For callers who may get the unit and list Plans in its namespace, as a stored Plan of it shows the same. With `unit` alone, orders a plan and returns
 * `{order}`; with `order`, too, returns `{waiting: true}` or `{plan}`. Fails with Conflict if the unit has no runner that could plan it, or the runner can't,
 * and with Timeout if it has not responded in time.
 */
export const planReports =
  ({ hub, orders, waker }: PlanReportPorts): FleetReports =>
  async ({ pathname, searchParams: query }, viewer) => {
    if (pathname !== path) return undefined
    for (const name of query.keys())
      if (name !== 'unit' && name !== 'order') throw badRequest(`unknown parameter ${name} of ${path}`)
    const unit = await visibleUnit(hub, viewer, query.get('unit') ?? '')
    const ref = refOf(unit)
    const { group, plural, versions } = plan
    const { namespace } = ref
    const resource = { group, version: versions[0]!.name, resource: plural, subresource: '', namespace, name: '' }
    await requireAllowed({ user: viewer.user, verb: 'list', path: '', resource }, viewer.authorize)
    const access = await runnerOf(unit, hub)
    const uid = unit.metadata.uid ?? ''
    const id = query.get('order')
    if (id === null) {
      await requireRunner(access, hub)
      const order = await orders.place(access, { ref, uid })
      await waker?.send(describeTarget(access))
      return { order }
    }
    const result = await orders.find(access, { id, uid })
    if (result === 'open') return { waiting: true }
    if (!result)
      throw new ApiError(504, 'Timeout', `the runner of ${describeRef(ref)} has not made a plan in ${orderMs / 1000} s`)
    if ('failed' in result) throw cannotPlan(unit, result.failed)
    return { plan: result.plan }
  }

const runnerOf = async (unit: KubernetesObject, hub: ReferenceReader): Promise<TargetReference> => {
  const access = isRunnerUnit(unit) ? ownAccess(unit) : undefined
  const configMap = access && (await hub.get<KubernetesObject>({ group: '', ...access }))
  if (access && isRunnerAccess(configMap)) return access
  throw badRequest(`${describeRef(refOf(unit))} is not applied by a runner: keelson plan plans it from your machine`)
}

/** Fails with Conflict if there is no Cluster with a runner, or the runner is known to be away. */
const requireRunner = async (access: TargetReference, hub: ReferenceReader): Promise<void> => {
  const [cluster] = await createReferences(hub).clustersWith(access)
  if (!cluster)
    throw new ApiError(
      409,
      'Conflict',
      `no Cluster names ${describeTarget(access)} in spec.kubeConfig, so it has no runner`,
    )
  const reachable = conditionOf(cluster.status?.conditions, 'Reachable')
  if (!noRunnerReasons.has(reachable?.reason ?? '')) return
  const { namespace, name } = cluster.metadata
  throw new ApiError(409, 'Conflict', `the runner of Cluster ${namespace}/${name} can't plan: ${reachable!.message}`)
}

const cannotPlan = (unit: KubernetesObject, why: string): ApiError =>
  new ApiError(409, 'Conflict', `${describeRef(refOf(unit))} can't be planned: ${why}`)
