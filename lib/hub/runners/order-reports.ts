/** What only the runner of a unit can find out, at paths below `/fleet/live`: an order to the runner, and then its result. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { plan } from '../../foundations/kinds/plan.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { isRunnerAccess, ownAccess } from '../../foundations/rules/runner-access.ts'
import type { Waker } from '../../platform/ports/wake-ups.ts'
import type { FleetReports } from '../apiserver/fleet/fleet-reports.ts'
import type { Viewer } from '../apiserver/fleet/visible-fleet.ts'
import { visibleUnit } from '../apiserver/fleet/visible-unit.ts'
import { requireAllowed } from '../apiserver/require-allowed.ts'
import { liveReadOf, readParameters } from '../live/live-paths.ts'
import { impersonationOf } from '../live/stored-access.ts'
import { createReferences, type ReferenceReader } from '../references/references.ts'
import { badRequest } from '../store/api-errors.ts'
import { ApiError } from '../store/hub.ts'
import { refusalOfOrders } from './order-takers.ts'
import { type LiveWork, type OrderedWork, type Orders, orderMs } from './orders.ts'
import { isRunnerUnit } from './units.ts'

interface OrderReportPorts {
  readonly hub: ReferenceReader
  readonly orders: Orders
  /** Wakes the runner. */
  readonly waker: Waker | undefined
}

const planPath = '/fleet/live/plan'

/** Work, but for the user. No user orders plans of heads: a pull request does. */
type Requested = Exclude<OrderedWork, { readonly type: 'live' | 'head' | 'release' }> | Omit<LiveWork, 'as'>

/** What a request is for; undefined if it is none that a runner could serve. Fails with BadRequest for other parameters. */
const requestedIn = (url: URL): Requested | undefined => {
  const { pathname } = url
  const read = liveReadOf(url, ['order'])
  if (read) return { type: 'live', read }
  if (pathname !== planPath && pathname !== '/fleet/live/diff') return undefined
  readParameters(url, ['unit', 'order'])
  return { type: pathname === planPath ? 'plan' : 'comparison' }
}

type RequestedType = Requested['type']

/** By type: what a runner does, and what a unit can't be. */
const words: Readonly<Record<RequestedType, readonly [does: string, done: string]>> = {
  plan: ['plan', 'planned'],
  comparison: ['compare', 'compared'],
  live: ['show its cluster', 'shown'],
}

/**
 * Of units of runners; undefined for others, except that only a runner plans for users. For callers who may get the unit; of plans and comparisons also list
 * Plans in its namespace, as a stored Plan of it shows the same. The cluster shows what it lets the caller see. Without `order`, places an order and returns
 * `{order}`; with it, returns `{waiting: true}` or what the runner has found. Fails with Conflict if the runner is away, takes no such orders or has found
 * nothing, and with Timeout if it has not responded in time.
 */
export const orderReports =
  ({ hub, orders, waker }: OrderReportPorts): FleetReports =>
  async (url, viewer) => {
    const query = url.searchParams
    const requested = requestedIn(url)
    if (!requested) return undefined
    const { type } = requested
    const unit = await visibleUnit(hub, viewer, query.get('unit') ?? '')
    const ref = refOf(unit)
    const access = await runnerOf(unit, hub)
    const id = query.get('order')
    if (!access && type !== 'plan') {
      if (id === null) return undefined
      throw badRequest(`${describeRef(ref)} is not applied by a runner, so there are no orders`)
    }
    if (type !== 'live') await requirePlansListed(ref.namespace, viewer)
    if (!access)
      throw badRequest(`${describeRef(ref)} is not applied by a runner: keelson plan plans it from your machine`)
    const [uid, by] = [unit.metadata.uid ?? '', viewer.user.name]
    if (id === null) {
      await requireRunner(access, type, hub)
      const work = workFor(requested, viewer)
      const order = await orders.place(access, { ref, uid, work, by })
      await waker?.send(describeTarget(access))
      return { order }
    }
    const result = await orders.find(access, { id, uid, type, by })
    if (result === 'open') return { waiting: true }
    if (!result)
      throw new ApiError(504, 'Timeout', `the runner of ${describeRef(ref)} has not responded in ${orderMs / 1000} s`)
    if ('found' in result) return result.found
    if (result.reason) throw new ApiError(codes[result.reason] ?? 409, result.reason, result.failed)
    throw new ApiError(409, 'Conflict', `${describeRef(ref)} can't be ${words[type][1]}: ${result.failed}`)
  }

const codes: Readonly<Record<string, number>> = {
  BadRequest: 400,
  Forbidden: 403,
  NotFound: 404,
  ServiceUnavailable: 503,
}

/** As whom a runner reads: always as the caller, as nobody has an access of the runner that they could use otherwise. Fails with Forbidden for accounts of the hub. */
const workFor = (requested: Requested, viewer: Viewer): OrderedWork => {
  if (requested.type !== 'live') return requested
  const { user, groups = [] } = impersonationOf(viewer, 'log in as a person')
  return { ...requested, as: { user, groups } }
}

const requirePlansListed = (namespace: string, { user, authorize }: Viewer): Promise<void> => {
  const { group, plural, versions } = plan
  const resource = { group, version: versions[0]!.name, resource: plural, subresource: '', namespace, name: '' }
  return requireAllowed({ user, verb: 'list', path: '', resource }, authorize)
}

const runnerOf = async (unit: KubernetesObject, hub: ReferenceReader): Promise<TargetReference | undefined> => {
  const access = isRunnerUnit(unit) ? ownAccess(unit) : undefined
  const configMap = access && (await hub.get<KubernetesObject>({ group: '', ...access }))
  return isRunnerAccess(configMap) ? access : undefined
}

/** Fails with Conflict if there is no Cluster with a runner, or the runner is known to be away, or to take no such orders. */
const requireRunner = async (access: TargetReference, type: RequestedType, hub: ReferenceReader): Promise<void> => {
  const refusal = await refusalOfOrders(access, type, createReferences(hub))
  if (!refusal) return
  const { cluster, message } = refusal
  const { namespace, name } = cluster?.metadata ?? {}
  const why = cluster ? `the runner of Cluster ${namespace}/${name} can't ${words[type][0]}: ${message}` : message
  throw new ApiError(409, 'Conflict', why)
}
