import type { Tally } from '../../clusters/client/tally.ts'
import { noUsage, timesUsage } from '../../foundations/rules/usage.ts'
import type { MeteredWork } from './usage-recorder.ts'
import type { Share } from './usage-shares.ts'

/** A check of one unit at rest. */
interface Check {
  readonly namespace: string
  readonly cluster: string
  /** How long it took, in milliseconds. */
  readonly ms: number
}

/** The checks of a visit share their requests and their time: each counts for an equal part. */
export const usageOfChecks = (checks: readonly Check[], common: Tally & Share): readonly MeteredWork[] =>
  [...Map.groupBy(checks, ({ namespace, cluster }) => JSON.stringify([namespace, cluster])).values()].map(group => {
    const { namespace, cluster } = group[0]!
    const part = timesUsage(group.length / checks.length, { ...noUsage, ...common })
    const ms = group.reduce((sum, check) => sum + check.ms, 0)
    return { namespace, cluster, usage: { ...part, passes: group.length, ms } }
  })
