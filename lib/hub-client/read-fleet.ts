/** What the hub reports on its fleet: counted, sorted and paged by the hub, of what the person may list. */
import type { ClusterSummary } from '../foundations/fleet/cluster-summary.ts'
import type { FleetCounts } from '../foundations/fleet/fleet-counts.ts'
import type { FleetSummary } from '../foundations/fleet/fleet-summary.ts'
import type { Page } from '../foundations/fleet/page.ts'
import type { SourcePage } from '../foundations/fleet/source-rows.ts'
import type { UnitPage } from '../foundations/fleet/unit-rows.ts'
import type { HubApi } from './hub-api.ts'
import { withQuery } from './with-query.ts'

/** What the hub left out, as kubectl says it: a line for each kind. */
export interface Partly {
  readonly refused: readonly string[]
}

const maxCauses = 50
const maxNames = 100

/** Without a namespace: all in which the person may list. */
const scopeOf = (namespace: string | undefined) => (namespace ? { namespace } : { permitted: 'true' })

/** `groupBy`: a label of clusters. Fails with ApiFailure or HubUnreachable, as all of these. */
export const readFleet = (
  api: HubApi,
  { namespace, groupBy }: { readonly namespace: string | undefined; readonly groupBy?: string | undefined },
  signal: AbortSignal,
) => {
  const most = { limit: String(maxCauses), names: String(maxNames) }
  return api.get<FleetSummary & Partly>(
    withQuery('/fleet/summary', { ...scopeOf(namespace), ...most, groupBy }),
    signal,
  )
}

/** How much of what there is. */
export const readCounts = (api: HubApi, namespace: string | undefined, signal: AbortSignal) =>
  api.get<FleetCounts & Partly>(withQuery('/fleet/counts', scopeOf(namespace)), signal)

export interface ClusterTerms {
  readonly namespace?: string | undefined
  /** A part of their name, access, address or version. */
  readonly search?: string | undefined
  /** Of their labels. */
  readonly clusterSelector?: string | undefined
}

/** A page of clusters. */
export const findClusters = (
  api: HubApi,
  { namespace, ...terms }: ClusterTerms,
  page: PageTerms,
  signal: AbortSignal,
) =>
  api.get<Page<ClusterSummary> & Partly>(
    withQuery('/fleet/clusters', { ...scopeOf(namespace), ...terms, ...pageOf(page) }),
    signal,
  )

/** All of them, page by page. */
export const readClusters = async (api: HubApi, terms: ClusterTerms, signal: AbortSignal) => {
  const items: ClusterSummary[] = []
  for (let from: string | undefined; ; ) {
    const page = await findClusters(api, terms, { limit: 500, continue: from }, signal)
    items.push(...page.items)
    from = page.continue
    if (from === undefined) return { items, refused: page.refused }
  }
}

export interface UnitTerms {
  readonly namespace?: string | undefined
  readonly labelSelector?: string | undefined
  readonly kind?: string | undefined
  readonly cluster?: string | undefined
  /** Separated by commas. */
  readonly state?: string | undefined
  /** A part of `Kind/namespace/name`. */
  readonly search?: string | undefined
  readonly waiting?: string | undefined
  readonly drifted?: string | undefined
  readonly undone?: string | undefined
  /** Those that hold deletions back. */
  readonly holding?: string | undefined
  /** What they need: `GitRepository/apps/app`. */
  readonly source?: string | undefined
  /** A part of the applied revision. */
  readonly revision?: string | undefined
  /** Of the labels of their Clusters. */
  readonly clusterSelector?: string | undefined
  /** `<1h`: whose state has changed within the last hour; `>24h`: not for a day. */
  readonly age?: string | undefined
  /** `name`, `state` or `since`. */
  readonly sort?: string | undefined
}

export interface PageTerms {
  readonly limit: number
  readonly continue?: string | undefined
}

/** A page of units, by default those that need attention first. */
export const readUnits = (
  api: HubApi,
  { namespace, sort = 'state', ...terms }: UnitTerms,
  page: PageTerms,
  signal: AbortSignal,
) =>
  api.get<UnitPage & Partly>(
    withQuery('/fleet/units', { ...scopeOf(namespace), ...terms, sort, ...pageOf(page) }),
    signal,
  )

const pageOf = ({ limit, continue: from }: PageTerms) => ({ limit: String(limit), continue: from })

/** A page of sources, with how many units take each. */
export const readSources = (
  api: HubApi,
  { namespace, ...terms }: Pick<UnitTerms, 'namespace' | 'kind' | 'state' | 'search'>,
  page: PageTerms,
  signal: AbortSignal,
) =>
  api.get<SourcePage & Partly>(
    withQuery('/fleet/sources', { ...scopeOf(namespace), ...terms, ...pageOf(page) }),
    signal,
  )
