import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { type Condition, type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { badRequest } from '../store/api-errors.ts'
import { ApiError, type Hub } from '../store/hub.ts'
import { acceptPlan } from './accept-plan.ts'
import { acceptResult } from './accept-result.ts'
import { acceptRun, type RunPorts, unitOfRecords } from './accept-run.ts'
import type { Readable } from './copy.ts'
import type { Orders } from './orders.ts'
import type {
  ChartRequest,
  ChartResponse,
  CompleteRequest,
  EventRequest,
  Leased,
  PlanRequest,
  ReportRequest,
  ReportResponse,
  RunRequest,
} from './protocol.ts'
import { chartRefOf, type ReleaseCharts } from './release-chart.ts'
import { acceptReport } from './report.ts'
import { isRunnerUnit } from './units.ts'

/** A Cluster's place. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

export interface UnitVerbPorts {
  readonly hub: Pick<Hub, 'get' | 'create' | 'update' | 'delete'>
  /** Records an event of a unit, and notifies. */
  readonly recordEvent: (
    object: KubernetesObject,
    occurrence: EventRequest['occurrence'],
    component: string,
  ) => Promise<void>
  /** Enqueues what depends on a unit that has become ready. */
  readonly enqueueDependents: (ref: ObjectRef) => Promise<void>
  readonly runs: RunPorts
  readonly charts: ReleaseCharts
  /** Those that decide what a unit may do: they hold for runners, too. */
  readonly settings: { readonly noCrossNamespaceRefs: boolean }
  /** How long Runs are kept, in milliseconds. */
  readonly runsRetention: number
  readonly orders: Orders
}

/** The requests about one unit of a runner, or its Cluster. `leased` returns what the runner may read, and fails if it has not the lease. */
export const unitVerbs = (
  { hub, settings, recordEvent, enqueueDependents, runs, runsRetention, charts, orders }: UnitVerbPorts,
  leased: (place: Place, request: Leased) => Promise<Readable>,
) => {
  /** The object of a request, if it is one of the runner's own. */
  const ownObject = ({ own }: Readable, request: Pick<ReportRequest, 'ref' | 'uid'>): KubernetesObject => {
    const found = own.find(isMeant(request))
    if (!found) throw noUnit()
    return found
  }

  const ownUnit = (found: Readable, request: Pick<ReportRequest, 'ref' | 'uid'>): KubernetesObject => {
    const unit = ownObject(found, request)
    if (!isRunnerUnit(unit)) throw noUnit()
    return unit
  }

  const report = async (place: Place, request: ReportRequest): Promise<ReportResponse> => {
    const object = ownObject(await leased(place, request), request)
    const response = await acceptReport(object, request, hub)
    if (isNews(object.status, request.status)) await enqueueDependents(refOf(object))
    return response
  }

  const event = async (place: Place, request: EventRequest): Promise<object> => {
    const object = ownObject(await leased(place, request), request)
    const { severity, reason, message, metadata, quiet } = request.occurrence
    const occurrence = {
      severity: severity === 'error' ? severity : 'info',
      ...{ reason: text(reason, 'reason'), message: text(message, 'message') },
      ...(metadata && { metadata }),
      ...(quiet && { quiet }),
    } as const
    await recordEvent(object, occurrence, text(request.component, 'component'))
    return {}
  }

  const run = async (place: Place, request: RunRequest): Promise<object> => {
    const { access, own } = await leased(place, request)
    const found = own.find(isMeant(request))
    const unit = found ? { ...unitNamed(found), uid: request.uid } : await formerUnit(access, request)
    if (!unit || !isRunnerUnit(unit)) throw noUnit()
    const reportedBy = `${place.namespace}/${place.name}`
    await acceptRun({ unit, cluster: { ...access }, reportedBy }, request, runs, runsRetention)
    return {}
  }

  /** One that exists on the hub, and is not the runner's, may have moved to another cluster. */
  const formerUnit = async (access: TargetReference, { ref, uid }: RunRequest) => {
    const { group, kind, namespace, name } = ref ?? {}
    const place = { namespace: text(namespace, 'ref.namespace'), name: text(name, 'ref.name') }
    const gone = { group: text(group, 'ref.group'), kind: text(kind, 'ref.kind'), ...place }
    const existing = await hub.get<KubernetesObject>(gone)
    return existing?.metadata.uid === uid ? undefined : unitOfRecords(access, { ref: gone, uid }, runs)
  }

  const chart = async (place: Place, request: ChartRequest): Promise<ChartResponse> => {
    const release = ownObject(await leased(place, request), request) as HelmRelease
    const ref = chartRefOf(release)
    if (!request.remove) {
      if (!ref) throw badRequest('the object has no spec.chart')
      if (settings.noCrossNamespaceRefs && ref.namespace !== place.namespace)
        throw new ApiError(403, 'Forbidden', 'references to other namespaces are not allowed')
      return { chart: await charts.apply(release, ref, request.dryRun === true) }
    }
    const { namespace, name } = request.remove
    await charts.remove(release, { namespace: text(namespace, 'namespace'), name: text(name, 'name') })
    return {}
  }

  const plan = async (place: Place, request: PlanRequest): Promise<object> => {
    const found = await leased(place, request)
    await acceptPlan(ownUnit(found, request), found.access, { ...request, name: text(request.name, 'name') }, hub)
    return {}
  }

  const complete = async (place: Place, request: CompleteRequest): Promise<object> => {
    const found = await leased(place, request)
    const unit = ownUnit(found, request)
    const order = { id: text(request.id, 'id'), uid: request.uid }
    await orders.complete(found.access, order, work => acceptResult(unit, found.access, work, request.result, hub))
    return {}
  }

  return { report, event, run, chart, plan, complete }
}

interface Status {
  readonly conditions?: readonly Condition[]
  readonly observedGeneration?: number
  readonly lastAppliedRevision?: string
}

/** Whether a unit has become ready, or is ready for another revision or spec. */
const isNews = (before: unknown, after: unknown): boolean => {
  const [old, now] = [(before ?? {}) as Status, (after ?? {}) as Status]
  if (!isConditionTrue(now.conditions, 'Ready')) return false
  const isSame =
    old.lastAppliedRevision === now.lastAppliedRevision && old.observedGeneration === now.observedGeneration
  return !isSame || !isConditionTrue(old.conditions, 'Ready')
}

const isMeant =
  ({ ref, uid }: Pick<ReportRequest, 'ref' | 'uid'>) =>
  (object: KubernetesObject): boolean => {
    const { group, kind, namespace, name } = refOf(object)
    const isSame = group === ref?.group && kind === ref.kind && namespace === ref.namespace && name === ref.name
    return isSame && object.metadata.uid === uid
  }

const noUnit = (): ApiError => new ApiError(404, 'NotFound', 'the object is no unit of this runner, or not any more')

const unitNamed = ({ apiVersion, kind, metadata: { name } }: KubernetesObject) => ({ apiVersion, kind, name })

/** A field of a request. Fails with BadRequest if it is no string. */
export const text = (value: unknown, field: string): string => {
  if (typeof value !== 'string') throw badRequest(`${field} must be a string`)
  return value
}
