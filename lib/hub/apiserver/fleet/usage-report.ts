import type { Kind } from '../../../foundations/kinds/kind.ts'
import { namespace as namespaceKind } from '../../../foundations/kinds/namespace.ts'
import { run as runKind } from '../../../foundations/kinds/run.ts'
import { type UsageOf, usageBy } from '../../../foundations/rules/usage.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import { dayOf, type UsageStore, usageDays } from '../../../platform/ports/usage.ts'
import { badRequest } from '../../store/api-errors.ts'
import type { FleetIndex } from './fleet-index.ts'
import { refusalOf, type Viewer } from './visible-fleet.ts'

/** What passes used in the namespaces that the caller may see. */
export interface UsageReport {
  /** YYYY-MM-DD, in UTC: the first day, and today. */
  readonly since: string
  readonly until: string
  readonly items: readonly UsageOf[]
  readonly refused: readonly string[]
}

export interface UsageReportPorts {
  readonly index: FleetIndex
  readonly usage: Pick<UsageStore, 'read'>
  readonly clock: Pick<Clock, 'now'>
}

/** Namespaces that are read at a time. */
const width = 16

/** Who may list the Runs of a namespace may see what they used. Without `namespace`, of all where the caller may. Fails with BadRequest. */
export const usageReport = async (
  { index, usage, clock }: UsageReportPorts,
  viewer: Viewer,
  { namespace, since: wanted }: { readonly namespace?: string; readonly since: string | undefined },
): Promise<UsageReport> => {
  const until = dayOf(clock.now())
  const since = wanted ?? `${until.slice(0, 8)}01`
  if (!/^\d{4}-\d\d-\d\d$/.test(since) || Number.isNaN(Date.parse(since)))
    throw badRequest(`invalid since=${since}: expected a day such as 2026-11-01, of the last ${usageDays}`)
  const refusal = (of: string) => refusalOf(viewer, runKind as unknown as Kind, of)
  const { byNamespace } = await index.read(namespaceKind as unknown as Kind)
  const namespaces = namespace === undefined ? [...(byNamespace.get('')?.keys() ?? [])] : [namespace]
  const mayAll = (await refusal('')) === undefined
  const entries: UsageOf[] = []
  const refused: string[] = []
  const left = namespaces[Symbol.iterator]()
  const read = async (): Promise<void> => {
    for (const one of left) {
      const why = mayAll ? undefined : await refusal(one)
      if (why === undefined) entries.push(...(await usage.read(one, since)))
      else if (namespace !== undefined) refused.push(why)
    }
  }
  await Promise.all(Array.from({ length: width }, read))
  const items = usageBy(entries, entry => JSON.stringify([entry.namespace, entry.cluster])).map(({ key, ...sums }) => {
    const [of, cluster] = JSON.parse(key) as [string, string]
    return { namespace: of, cluster, ...sums }
  })
  return { since, until, items, refused }
}
