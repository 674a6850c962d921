import type { Run } from '../foundations/kinds/run.ts'
import { fieldSelector } from './field-selector.ts'
import { runKind } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'
import { type ListPage, listPage } from './list-page.ts'

/** Which Runs: each term that is given must hold. */
export interface RunTerms {
  readonly namespace?: string | undefined
  /** RFC 3339. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly result?: string | undefined
  readonly by?: string | undefined
  readonly cluster?: string | undefined
}

/** The newest first. */
export const readRuns = (
  api: HubApi,
  { namespace, since, until, kind, name, result, by, cluster }: RunTerms,
  page: { readonly limit: number; readonly continue?: string | undefined },
  signal: AbortSignal,
): Promise<ListPage<Run>> => {
  const terms = {
    ...{ 'unit.kind': kind, 'unit.name': name, since, until, result },
    ...{ by, 'cluster.name': cluster },
  }
  return listPage<Run>(
    api,
    runKind,
    { namespace, query: { limit: String(page.limit), continue: page.continue, fieldSelector: fieldSelector(terms) } },
    signal,
  )
}
