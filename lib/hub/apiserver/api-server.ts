import type { KindRegistry, ServedKind } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { RecordReader } from '../records/record-reader.ts'
import { noSuchResource, notFound } from '../store/api-errors.ts'
import type { Hub } from '../store/hub.ts'
import { ApiError } from '../store/hub.ts'
import { rfc3339 } from '../store/time.ts'
import type { WithActionEvents } from './action-events.ts'
import type { AuditTrail } from './audit/audit-trail.ts'
import { withNotedActions } from './audit/with-noted-actions.ts'
import type { Authenticate, Authorizer, Peer, User } from './authentication/caller.ts'
import { actingUser } from './authentication/impersonation.ts'
import { tokenAuthentication } from './authentication/token-review.ts'
import type { Call, Handler, ServedDeliveries } from './call.ts'
import type { Components } from './components.ts'
import { discover } from './documents/discovery.ts'
import { issuerInfo } from './documents/issuer-info.ts'
import { type MetricsText, metricsPage } from './documents/metrics-page.ts'
import { openApi } from './documents/open-api.ts'
import { receiptKeysPage, type ServedReceiptKeys } from './documents/receipt-keys.ts'
import { type Health, publicInfo } from './documents/server-info.ts'
import type { Fairness } from './fairness/fairness.ts'
import { flowOf } from './fairness/flow.ts'
import { withCountedCluster } from './fleet/counted-cluster.ts'
import type { FleetReports } from './fleet/fleet-reports.ts'
import type { ServiceAccountTokens } from './identity/service-account-tokens.ts'
import { TokenRefused } from './identity/token-refused.ts'
import { type ApiHandler, type RecordedOptions, recordedHandler } from './recorded-handler.ts'
import { methodNotAllowed, runsNoWorkloads, unauthorized, verbNotSupported } from './refusals.ts'
import type { ResourceRequest, Verb } from './request-info.ts'
import { resourceRequestOf } from './request-info.ts'
import { requireAllowed } from './require-allowed.ts'
import { type LastChecks, withScanTimes } from './scan-times.ts'
import { createObject } from './verbs/create-object.ts'
import { deleteCollection } from './verbs/delete-collection.ts'
import { deleteObject } from './verbs/delete-object.ts'
import { getObject } from './verbs/get-object.ts'
import { listObjects } from './verbs/list-objects.ts'
import { patchObject } from './verbs/patch-object.ts'
import { isRedelivery, redeliver } from './verbs/redeliver.ts'
import { review } from './verbs/reviews.ts'
import { getScale, patchScale, updateScale } from './verbs/scale.ts'
import { isTokenRequest, requestToken } from './verbs/token-request.ts'
import { updateObject } from './verbs/update-object.ts'
import { watchObjects } from './verbs/watch-objects.ts'
import { virtualKinds } from './virtual-kinds.ts'
import { refusal } from './wire/refusal.ts'
import { pageNotFound, respond } from './wire/respond.ts'

export type { ApiHandler }

export interface ApiServerOptions extends RecordedOptions {
  readonly hub: Hub
  readonly kinds: () => KindRegistry
  /** Parts of this program to present as Flux's controllers; none if absent. */
  readonly components?: Components
  /** What passes have done; not served if absent. */
  readonly runs?: RecordReader
  /** The report on the installation; not served if absent. */
  readonly report?: RecordReader
  /** Reports on the fleet; not served if absent. */
  readonly fleet?: FleetReports
  /** When objects were last found unchanged; if absent, they say when that was last written. */
  readonly lastChecks?: LastChecks
  /** Calls of webhooks; not served if absent. */
  readonly deliveries?: ServedDeliveries
  /** Awaited before each request: loads kinds that other processes have defined. */
  readonly refreshKinds?: () => Promise<void>
  readonly clock: Clock
  readonly authenticate: Authenticate
  readonly authorizer: Authorizer
  /** Tokens of ServiceAccounts; if absent, none are issued. */
  readonly tokens?: ServiceAccountTokens
  /** Public keys of receipts of Runs, and their rotation; not served if absent. */
  readonly receiptKeys?: ServedReceiptKeys
  /** The content of `/metrics`, for users who may get that path. */
  readonly metrics?: MetricsText
  /** Why nothing can be stored at the moment, in one sentence; undefined while it can. */
  readonly unready?: () => string | undefined
  /** Records what users do in the console, and agents do; nothing is recorded if absent. */
  readonly actions?: WithActionEvents
  /** Limits on one caller's use of the API; if absent, there are none, as for the hub's own work. */
  readonly fairness?: Fairness
}

export type RequestHandler = (request: Request) => Promise<Response>
/** The hub as a Kubernetes API: a function from request to response, for any listener. */
export const createApiServer = (options: ApiServerOptions): ApiHandler => {
  const { hub, authenticate, authorizer, onError = () => {} } = options
  const { authorize } = authorizer

  const health: Health = {
    alive: async () => {
      try {
        await hub.list({ group: '', kind: 'Namespace', limit: 1 })
        return undefined
      } catch (error) {
        onError(error, { method: 'GET', path: '/livez' })
        return 'the object store does not respond'
      }
    },
    ready: async () => options.unready?.(),
  }

  const identify = tokenAuthentication(options)
  const shown = virtualKinds(hub, options)
  const kinds = () => shown.with(options.kinds())

  const respondTo = async (
    request: Request,
    url: URL,
    peer: Peer | undefined,
    sent: Promise<unknown>,
    trail: AuditTrail | undefined,
    remote: string | undefined,
  ): Promise<Response> => {
    const info = await publicInfo(request, url, health)
    if (info) return info
    const caller = await authenticate(request, peer).catch(undefinedIfRefused)
    if (!caller) throw unauthorized()
    const resource = resourceRequestOf(request.method, url)
    await trail?.identified(caller, resource)
    const user = await actingUser(request, caller, authorize)
    if (user !== caller) trail?.impersonated(user)
    const audited = { ...authorizer, authorize: trail?.recording(authorize) ?? authorize }
    await options.fairness?.admit(request, resource?.verb, user, sent)
    await options.refreshKinds?.()
    if (!resource) return respondAboutPath(request, url, user, audited)
    return (
      (await review(request, resource, user, { authorizer: audited, identify, now: rfc3339(options.clock.now()) })) ??
      respondAboutResource(request, url, { resource, user, sent, audited, remote, trail })
    )
  }

  const respondAboutPath = async (request: Request, url: URL, user: User, audited: Authorizer): Promise<Response> => {
    const verb = request.method.toLowerCase()
    await requireAllowed({ user, verb, path: url.pathname }, audited.authorize)
    const receipts = options.receiptKeys && (await receiptKeysPage(verb, url, options.receiptKeys))
    if (receipts) return receipts
    if (verb !== 'get' && verb !== 'head') throw methodNotAllowed()
    return (
      (await discover(request, url, kinds())) ??
      (await openApi(request, url, kinds())) ??
      (options.tokens && (await issuerInfo(url, options.tokens))) ??
      (options.metrics && (await metricsPage(url, options.metrics))) ??
      (await respondAboutFleet(request, url, user)) ??
      pageNotFound()
    )
  }

  /** What the caller may not list is left out, so their rights are not a matter of the audit log. */
  const respondAboutFleet = async (request: Request, url: URL, user: User) => {
    if (!url.pathname.startsWith('/fleet/')) return undefined
    await options.fairness?.turns.takeToRead(flowOf(user))
    const report = await options.fleet?.(url, { user, authorize })
    return report && respond({ request }, JSON.stringify(report))
  }

  const respondAboutResource = async (
    request: Request,
    url: URL,
    { resource: info, user, sent, audited, remote, trail }: AboutResource,
  ) => {
    const { verb, ...resource } = info
    await requireAllowed({ user, verb, path: url.pathname, resource }, audited.authorize)
    const served = kinds().findResource(info.group, info.version, info.resource)
    if (!served) return notServed(info)
    if (!isWithinScope(info, served.kind.namespaced)) return outOfScope(info, served.kind)
    const handler = handlerFor(info, served)
    const call: Call = { request, query: url.searchParams, info, served, user, warnings: [], sent }
    const { deprecated } = served.version
    if (deprecated) call.warnings.push(deprecated)
    try {
      const acted =
        options.actions?.(shown.hubOf(served.kind), {
          ...{ user: user.name, remote },
          onError: error => onError(error, { method: request.method, path: url.pathname }),
        }) ?? shown.hubOf(served.kind)
      const noted = trail ? withNotedActions(acted, trail) : acted
      const counted = withCountedCluster(noted, info, options.fleet, { user, authorize })
      const shownHub = withScanTimes(counted, info, options.lastChecks)
      return await handler({ ...options, hub: shownHub }, call)
    } catch (error) {
      // Send the warnings whatever the result of the request.
      if (error instanceof ApiError) return refusal(request, error, call.warnings)
      throw error
    }
  }

  return recordedHandler({ ...options, onError }, respondTo)
}

/** A request about a resource, and whose it is. */
interface AboutResource {
  readonly resource: ResourceRequest
  readonly user: User
  readonly sent: Promise<unknown>
  readonly audited: Authorizer
  readonly remote: string | undefined
  readonly trail: AuditTrail | undefined
}

/** Drops the reason, which only a TokenReview shows. */
const undefinedIfRefused = (error: unknown): undefined => {
  if (!(error instanceof TokenRefused)) throw error
  return undefined
}

const handlers: Readonly<Record<Verb, Handler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
}

const scaleHandlers: Readonly<Partial<Record<Verb, Handler>>> = {
  get: getScale,
  update: updateScale,
  patch: patchScale,
}

const readingVerbs: ReadonlySet<Verb> = new Set(['get', 'list', 'watch'])
const subresourceVerbs: ReadonlySet<Verb> = new Set(['get', 'update', 'patch'])

/** Fails with MethodNotAllowed or NotFound if the resource does not support the request. */
const handlerFor = (info: ResourceRequest, { kind, version }: ServedKind): Handler => {
  const { verb, resource, group, name, subresource } = info
  const isNamespace = group === '' && resource === 'namespaces'
  if (subresource === 'finalize' && isNamespace) {
    if (verb === 'update') return handlers.update
    throw methodNotAllowed()
  }
  if (isTokenRequest(info)) {
    if (verb === 'create') return requestToken
    throw methodNotAllowed()
  }
  if (isRedelivery(info)) {
    if (verb === 'create') return redeliver
    throw methodNotAllowed()
  }
  if (subresource === 'scale' && version.scale) {
    const scaling = scaleHandlers[verb]
    if (scaling) return scaling
    throw verbNotSupported(kind, verb)
  }
  if (subresource) {
    if (subresource !== 'status' || !version.status) throw kind.native ? noSuchResource() : notFound(kind, name)
    if (subresourceVerbs.has(verb)) return handlers[verb]
    throw kind.native ? methodNotAllowed() : verbNotSupported(kind, verb)
  }
  if (kind.readOnly && !readingVerbs.has(verb)) throw kind.native ? runsNoWorkloads(kind) : verbNotSupported(kind, verb)
  if (kind.isUnwatched && verb === 'watch') throw verbNotSupported(kind, verb)
  const isOfCollection = verb === 'create' || verb === 'list' || verb === 'deletecollection'
  const isMisplaced = isOfCollection ? name !== '' : verb !== 'watch' && name === ''
  if (isMisplaced || (isNamespace && verb === 'deletecollection')) throw methodNotAllowed()
  return handlers[verb]
}

/** Namespaced objects are only accessible within a namespace, except to list or watch those of all namespaces. */
const isWithinScope = ({ namespace, verb, name }: ResourceRequest, isNamespaced: boolean): boolean => {
  if (!isNamespaced) return namespace === ''
  return namespace !== '' || ((verb === 'list' || verb === 'watch') && name === '')
}

/** Kubernetes' own groups respond with a Status; in other groups, unknown paths may not be the API's at all. */
const notServed = ({ group }: ResourceRequest): Response => {
  if (group === '') throw noSuchResource()
  return pageNotFound()
}

const outOfScope = ({ verb }: ResourceRequest, { native, namespaced }: Kind): Response => {
  if (!native) return pageNotFound()
  throw namespaced && (verb === 'create' || verb === 'deletecollection') ? methodNotAllowed() : noSuchResource()
}
