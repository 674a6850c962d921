import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterError } from '../clusters/client/client.ts'
import { CommandFailed } from './command-failed.ts'
import type { HubAccess } from './hub-access.ts'

/** Which objects a report is about. */
export interface FleetScope {
  readonly namespace: string
  readonly allNamespaces: boolean
  /** Labels of units, as of kubectl. */
  readonly selector?: string
}

/** A report of the hub on what the caller may list. */
export type FleetReport<T> = T & {
  /** Why a kind is left out, a message each. */
  readonly refused: readonly string[]
}

export interface ReportRequest {
  readonly about: 'summary' | 'clusters' | 'units' | 'versions' | 'usage'
  readonly scope: FleetScope
  readonly parameters?: Readonly<Record<string, string>>
}

/** Fetches a report on the fleet (docs/questions.md). Fails with CommandFailed if the server is not a hub. */
export const fetchReport = async <T extends object>(
  { cluster, signal }: HubAccess,
  { about, scope, parameters }: ReportRequest,
): Promise<FleetReport<T>> => {
  const { namespace, allNamespaces, selector } = scope
  const query = new URLSearchParams({
    ...(!allNamespaces && { namespace }),
    ...(selector && { labelSelector: selector }),
    ...parameters,
  })
  try {
    return (await cluster.document!(`/fleet/${about}?${query}`, { signal })) as FleetReport<T>
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'notFound') throw error
    throw new CommandFailed(`${cluster.server} has no reports on a fleet: it is not a hub of this version`, {
      cause: error,
    })
  }
}

/** Everything that matches, over all pages. */
export const fetchAll = async <T>(hub: HubAccess, request: ReportRequest): Promise<FleetReport<{ items: T[] }>> => {
  const items: T[] = []
  for (let next: string | undefined; ; ) {
    const parameters = { limit: pageSize, ...request.parameters, ...(next && { continue: next }) }
    const page = await fetchReport<{ items: T[]; continue?: string }>(hub, { ...request, parameters })
    items.push(...page.items)
    next = page.continue
    if (!next) return { items, refused: page.refused }
  }
}

const pageSize = '1000'

/** Time between two requests. */
const everyMs = 2_000

/** The report, and again whenever it has changed. Retries while the hub does not respond. Ends with the signal of the access, by its reason. */
export async function* followReport<T extends object>(
  hub: HubAccess,
  request: ReportRequest,
): AsyncGenerator<FleetReport<T>, void> {
  let shown: string | undefined
  for (;;) {
    try {
      const report = await fetchReport<T>(hub, request)
      const text = JSON.stringify(report)
      if (text !== shown) yield report
      shown = text
    } catch (error) {
      hub.signal.throwIfAborted()
      const isPassing = error instanceof ClusterError && ['unreachable', 'throttled', 'server'].includes(error.code)
      if (!isPassing) throw error
    }
    await sleep(everyMs, undefined, { signal: hub.signal })
  }
}

/** What the hub refused to show, a line each, as kubectl says it. */
export const refusalLines = ({ refused }: FleetReport<object>): readonly string[] =>
  refused.map(message => `Error from server (Forbidden): ${message}`)
