import type { Plan } from '../foundations/kinds/plan.ts'
import { plannedCounts } from '../foundations/kinds/plan.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import { digestOfPlan } from '../foundations/rules/approval-statement.ts'
import { changesIn } from './describe-run.ts'

/** What a plan would change, and, if it is stored, what has become of it. */
export const describePlan = (
  plan: Pick<Plan, 'spec' | 'status' | 'changes' | 'moreChanges'> & {
    readonly metadata?: Plan['metadata']
    readonly unjudged?: string
  },
): string => {
  const { metadata, spec, status, changes = [], moreChanges, unjudged } = plan
  const { unit, cluster, revision, counts, digest, author, approvals, expiresAt } = spec
  const at = revision === undefined ? '' : ` at ${revision}`
  const where = cluster ? ` on the cluster of ${describeTarget(cluster as TargetReference)}` : ''
  const what = plannedCounts(counts) || 'nothing would change'
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Plan', metadata?.name],
    ['Phase', status && `${status.phase}${status.message ? `: ${status.message}` : ''}`],
    ['Author', author],
    ['Needs', approvals && `${approvals.count} of those who may approve, as ${approvals.reason} requires`],
    ['Policies', unjudged && `not known: ${unjudged}`],
    ['Approved', status?.approvedBy?.join(', ')],
    ['Rejected', status?.rejectedBy],
    ['Expires', expiresAt],
    ['Digest', digest],
    ['For', approvals?.signedFor && `the runner of Cluster ${approvals.signedFor}, which counts signed approvals only`],
    ['To sign', approvals?.signedFor && metadata && digestOfPlan({ ...plan, metadata } as Plan)],
  ]
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : `${`${name}:`.padEnd(10)}${value}\n`))
  const body = changesIn({ changes, counts, ...(moreChanges !== undefined && { moreChanges }) })
  return `Plan of ${unit.kind}/${unit.name}${at}${where}: ${what}\n${body}${lines.join('')}`
}
