import type { Run } from '../foundations/kinds/run.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import type { Verification } from '../foundations/rules/verify-receipt.ts'

/** The result of a verification for people: what the hub has signed, or why the Run is not it. */
export const describeVerification = ({ metadata: { namespace, name } }: Run, result: Verification): string => {
  const run = `Run ${namespace}/${name}`
  if (!result.verified) return `${run} is not verified: ${result.reason}\n`
  const { predicate, subject } = result.statement
  const { unit, cluster, revision, plan, reportedBy } = predicate
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Key', result.keyId],
    ['Unit', `${unit.kind}/${namespace}/${unit.name}`],
    ['Cluster', cluster ? describeTarget(cluster as TargetReference) : 'the hub'],
    ['Revision', revision],
    ...subject.map(
      ({ name, digest }) =>
        [
          `${name[0]!.toUpperCase()}${name.slice(1)}`,
          Object.entries(digest)
            .map(([algorithm, hex]) => `${algorithm}:${hex}`)
            .join(' '),
        ] as const,
    ),
    ['Plan', plan && `${plan.name} (${plan.digest})`],
    ['Approved', plan?.approvedBy.join(', ')],
    ['Reported', reportedBy && `by the runner of Cluster ${reportedBy}: the hub signed what it was sent`],
  ]
  const lines = facts.flatMap(([fact, text]) => (text ? [`${`${fact}:`.padEnd(12)}${text}\n`] : []))
  return `${run} is as the hub signed it\n${lines.join('')}`
}
