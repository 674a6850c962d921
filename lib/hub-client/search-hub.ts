/** One search over everything that pages show. */
import type { ClusterSummary } from '../foundations/fleet/cluster-summary.ts'
import type { SourceRow } from '../foundations/fleet/source-rows.ts'
import type { UnitRow } from '../foundations/fleet/unit-rows.ts'
import type { Receiver } from '../foundations/kinds/receiver.ts'
import { receiverKind } from './fleet-kinds.ts'
import { ApiFailure, type HubApi } from './hub-api.ts'
import { listPage } from './list-page.ts'
import { findClusters, readSources, readUnits } from './read-fleet.ts'

export interface Found<T> {
  readonly total: number
  /** The first of them. */
  readonly items: readonly T[]
}

export interface SearchResult {
  readonly units: Found<UnitRow>
  /** Units by the revision that they have applied. */
  readonly revisions: Found<UnitRow>
  readonly clusters: Found<ClusterSummary>
  readonly sources: Found<SourceRow>
  readonly receivers: Found<Receiver>
  /** What the person may not list. */
  readonly refused: readonly string[]
}

/** Of each sort. */
export const maxFound = 10
const maxReceivers = 500

/** A part of names, in any case; of revisions, versions and addresses too. Fails with ApiFailure or HubUnreachable. */
export const searchHub = async (
  api: HubApi,
  namespace: string | undefined,
  search: string,
  signal: AbortSignal,
): Promise<SearchResult> => {
  const page = { limit: maxFound }
  const [units, revisions, clusters, sources, receivers] = await Promise.all([
    readUnits(api, { namespace, search }, page, signal),
    readUnits(api, { namespace, revision: search }, page, signal),
    findClusters(api, { namespace, search }, page, signal),
    readSources(api, { namespace, search }, page, signal),
    readReceivers(api, namespace, signal),
  ])
  const wanted = search.toLowerCase()
  const firstOf = <T>(items: readonly T[], textsOf: (item: T) => readonly (string | undefined)[]): Found<T> => {
    const matching = items.filter(item => textsOf(item).some(text => text?.toLowerCase().includes(wanted)))
    return { total: matching.length, items: matching.slice(0, maxFound) }
  }
  return {
    ...{ units, revisions, clusters, sources },
    receivers: firstOf(receivers.items, ({ metadata, status }) => [
      ...[`Receiver/${metadata.namespace}/${metadata.name}`, status?.webhookPath],
    ]),
    refused: [...new Set([units, clusters, sources, receivers].flatMap(({ refused }) => refused))],
  }
}

const readReceivers = async (api: HubApi, namespace: string | undefined, signal: AbortSignal) => {
  try {
    const query = { limit: String(maxReceivers) }
    const { items } = await listPage<Receiver>(api, receiverKind, { namespace, query }, signal)
    return { items, refused: [] }
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return { items: [], refused: [error.message] }
    throw error
  }
}
