/** Reports on the whole fleet, at paths below `/fleet/`: see docs/questions.md. */
import { RecentlyUsed } from '../../../foundations/budget/recently-used.ts'
import type { Cause } from '../../../foundations/fleet/cause.ts'
import { causesOf } from '../../../foundations/fleet/causes.ts'
import { clusterPage } from '../../../foundations/fleet/cluster-summary.ts'
import { countFleet } from '../../../foundations/fleet/fleet-counts.ts'
import { summaryOf } from '../../../foundations/fleet/fleet-summary.ts'
import { sourcePage } from '../../../foundations/fleet/source-rows.ts'
import { type UnitFilter, type UnitOrder, unitPage } from '../../../foundations/fleet/unit-rows.ts'
import {
  appliedVersions,
  groupedVersions,
  type RunningVersion,
  versionPage,
} from '../../../foundations/fleet/versions.ts'
import { parseDuration } from '../../../foundations/kinds/duration.ts'
import { timestamp } from '../../../foundations/rules/conditions.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { UsageStore } from '../../../platform/ports/usage.ts'
import { badRequest } from '../../store/api-errors.ts'
import { parseLabelSelector } from '../../store/label-selector.ts'
import type { FleetIndex } from './fleet-index.ts'
import { permittedNamespaces } from './permitted-namespaces.ts'
import { usageReport } from './usage-report.ts'
import {
  countedKinds,
  type FleetScope,
  sourceKinds,
  type Viewer,
  type VisibleFleet,
  visibleFleet,
} from './visible-fleet.ts'

/** A report; undefined for other paths. Fails with BadRequest. */
export type FleetReports = (url: URL, viewer: Viewer) => Promise<object | undefined>

/** A fleet with what was found out about it, for callers that see the same. */
interface Computed {
  readonly visible: VisibleFleet
  causes?: readonly Cause[]
  versions?: readonly RunningVersion[]
}

/** Results for that many combinations of scopes and rights are kept. */
const remembered = 4

const parameters: Readonly<Record<string, readonly string[]>> = {
  '/fleet/counts': [],
  '/fleet/summary': ['limit', 'continue', 'names', 'groupBy'],
  '/fleet/clusters': ['limit', 'continue', 'cluster', 'search', 'clusterSelector'],
  '/fleet/units': [
    'limit',
    'continue',
    'kind',
    'cluster',
    'state',
    'search',
    'drifted',
    'undone',
    'waiting',
    'holding',
    'sort',
    'source',
    'revision',
    'clusterSelector',
    'age',
  ],
  '/fleet/sources': ['limit', 'continue', 'kind', 'state', 'search'],
  '/fleet/versions': ['limit', 'continue', 'names', 'search'],
  '/fleet/usage': ['since'],
  '/fleet/namespaces': ['resource'],
}
const scopeParameters = ['namespace', 'permitted', 'labelSelector']

/**
 * The reports of a hub. Viewers who may see the same share results, until something changes. Without `usage`,
 * `/fleet/usage` is unknown.
 */
export const fleetReports = (index: FleetIndex, clock: Clock, usage?: Pick<UsageStore, 'read'>): FleetReports => {
  const known = new RecentlyUsed<Computed>(remembered)

  const computed = async (viewer: Viewer, scope: FleetScope, withSources: boolean): Promise<Computed> => {
    const visible = await visibleFleet(index, viewer, scope, withSources ? sourceKinds : [])
    const key = JSON.stringify([scope, visible.key, withSources])
    return known.getOrMake(key, () => ({ visible }))
  }

  return async ({ pathname, searchParams: query }, viewer) => {
    const allowed = Object.hasOwn(parameters, pathname) ? parameters[pathname]! : undefined
    if (!allowed) return undefined
    const isScoped = pathname !== '/fleet/namespaces'
    for (const name of query.keys())
      if (!allowed.includes(name) && !(isScoped && scopeParameters.includes(name)))
        throw badRequest(`unknown parameter ${name} of ${pathname}`)
    if (!isScoped) return permittedNamespaces(index, viewer, query.get('resource'))
    const scope = scopeOf(query)
    if (pathname === '/fleet/usage')
      return usage && usageReport({ index, usage, clock }, viewer, { ...scope, since: query.get('since') ?? undefined })
    if (pathname === '/fleet/counts') {
      const { fleet, sources, refused } = await visibleFleet(index, viewer, scope, countedKinds)
      return { ...countFleet(fleet, sources), refused }
    }
    const withSources = pathname === '/fleet/summary' || pathname === '/fleet/sources'
    const found = await computed(viewer, scope, withSources)
    const { fleet, sources, refused } = found.visible
    if (pathname === '/fleet/summary') {
      found.causes ??= causesOf({ fleet, sources })
      const groupBy = query.get('groupBy')
      const maxNames = numberOf(query, 'names', 5, 100)
      const options = { ...pageOf(query, 20), maxNames, ...(groupBy && { groupBy }) }
      return { ...summaryOf(fleet, found.causes, options), refused }
    }
    const { cluster, search } = filterOf(query)
    if (pathname === '/fleet/clusters') {
      const { isOnCluster: isSelected } = clusterFilterOf(query)
      const terms = { ...(cluster && { cluster }), ...(search && { search }), ...(isSelected && { isSelected }) }
      const options = { ...pageOf(query, 500), ...terms }
      return { ...clusterPage(fleet, options, clock.now()), refused }
    }
    if (pathname === '/fleet/sources')
      return { ...sourcePage(fleet, sources, { ...pageOf(query, 500), filter: filterOf(query) }), refused }
    if (pathname === '/fleet/versions') {
      found.versions ??= groupedVersions(appliedVersions(fleet))
      const maxNames = numberOf(query, 'names', 100, maxPage)
      return { ...versionPage(found.versions, { ...pageOf(query, 500), maxNames, ...(search && { search }) }), refused }
    }
    const filter = { ...filterOf(query), ...clusterFilterOf(query), ...ageFilterOf(query, clock.now()) }
    return { ...unitPage(fleet, { ...pageOf(query, 500), filter, order: orderOf(query) }), refused }
  }
}

const scopeOf = (query: URLSearchParams): FleetScope => {
  const [namespace, labelSelector] = [query.get('namespace'), query.get('labelSelector')]
  return {
    ...(namespace && { namespace }),
    isPermittedOnly: isSet(query, 'permitted'),
    ...(labelSelector && { labelSelector }),
  }
}

const maxPage = 5_000

const pageOf = (query: URLSearchParams, standard: number) => ({
  limit: numberOf(query, 'limit', standard, maxPage),
  ...(query.has('continue') && { continue: String(numberOf(query, 'continue', 0, Number.MAX_SAFE_INTEGER)) }),
})

const filterOf = (query: URLSearchParams) => {
  const given = ['kind', 'cluster', 'state', 'search', 'source', 'revision'].map(name => query.get(name))
  const [kind, cluster, state, search, source, revision] = given
  return {
    ...(kind && { kind }),
    ...(cluster && { cluster }),
    ...(state && { states: state.split(',') }),
    ...(search && { search }),
    ...(source && { source }),
    ...(revision && { revision }),
    ...{ isDrifted: isSet(query, 'drifted'), isWaiting: isSet(query, 'waiting'), isHolding: isSet(query, 'holding') },
    isUndone: isSet(query, 'undone'),
  }
}

const clusterFilterOf = (query: URLSearchParams): Pick<UnitFilter, 'isOnCluster'> => {
  const selector = query.get('clusterSelector')
  return selector ? { isOnCluster: parseLabelSelector(selector) } : {}
}

/** `<1h`: whose state has changed within the last hour; `>24h`: whose state has not changed for a day. */
const ageFilterOf = (query: URLSearchParams, now: number): Pick<UnitFilter, 'changedSince' | 'unchangedSince'> => {
  const text = query.get('age')
  if (!text) return {}
  const [, sign, duration = ''] = /^([<>])(.+)$/.exec(text) ?? []
  const ms = parseDuration(duration)
  if (ms === undefined || ms < 0 || ms > now)
    throw badRequest(`invalid age=${text}: must be < or > and a duration, such as <15m`)
  const at = timestamp(now - ms)
  return sign === '<' ? { changedSince: at } : { unchangedSince: at }
}

const orders: readonly string[] = ['name', 'state', 'since'] satisfies UnitOrder[]

const orderOf = (query: URLSearchParams): UnitOrder => {
  const order = query.get('sort') ?? 'name'
  if (orders.includes(order)) return order as UnitOrder
  throw badRequest(`invalid sort=${order}: must be one of ${orders.join(', ')}`)
}

const isSet = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name) ?? 'false'
  if (text !== 'true' && text !== 'false') throw badRequest(`invalid ${name}=${text}: must be true or false`)
  return text === 'true'
}

const numberOf = (query: URLSearchParams, name: string, standard: number, most: number): number => {
  const text = query.get(name)
  if (text === null) return standard
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (number <= most && (number > 0 || name === 'continue')) return number
  throw badRequest(`invalid ${name}=${text}: must be a whole number up to ${most}`)
}
