import { countsOf } from '../../clusters/apply/describe-planned.ts'
import type { Disclosure } from '../../clusters/apply/field-diff.ts'
import type { PlannedChange, PlannedChanges } from '../../clusters/apply/planned-changes.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { isSecret } from '../../clusters/client/mask-secret.ts'
import { type Finding, judge } from '../../engines/policy/judge.ts'
import { guessResource, type JudgedChange } from '../../engines/policy/match-change.ts'
import { approvalAnnotation } from '../../foundations/kinds/approval.ts'
import { type ChangePolicy, policyTitle } from '../../foundations/kinds/change-policy.ts'
import { describeRef, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { approvalPolicyOf, bothPolicies } from '../../foundations/rules/approvals.ts'
import type { RequiredApproval, Restraint } from '../windows/restraint.ts'

/** A planned change of a unit, for policies. */
export interface ChangeToJudge {
  readonly unit: KubernetesObject
  readonly planned: Pick<PlannedChanges, 'changes' | 'unchanged'>
  readonly disclosure: Disclosure
  readonly restraint: Pick<Restraint, 'within'>
}

/** What one policy has against a change. */
export interface PolicyFinding {
  readonly policy: string
  readonly action: 'Deny' | 'RequireApproval'
  readonly message: string
}

/** What policies make of a change. */
export interface Verdict {
  readonly findings: readonly PolicyFinding[]
  /** Why the change fails. */
  readonly denied?: string
  /** What it needs besides what is required anyway. */
  readonly approval?: RequiredApproval
}

/** Judges a change by policies, of which none can fail the pass other than by its verdict. */
export const judgeChanges = async (
  policies: readonly ChangePolicy[],
  { unit, planned, disclosure, restraint }: ChangeToJudge,
  cluster: Pick<ClusterClient, 'resourceFor'>,
): Promise<Verdict> => {
  if (policies.length === 0) return { findings: [] }
  const { changes } = planned
  const resources = await resourcesOf(changes, cluster)
  const { apiVersion, kind, metadata, spec } = unit
  const subject = {
    unit: { apiVersion, kind, metadata, spec } as KubernetesObject,
    cluster: restraint.within?.clusters[0],
    plan: { ...noChanges, ...countsOf(planned), changes: changes.map(withoutValues) },
    changes: changes.flatMap(change => judgedChanges(change, resources, disclosure)),
    masked: disclosure.masked,
  }
  const findings = policies.flatMap(policy => judge(policy, subject))
  const [denials, others] = [findings.filter(isDenial), findings.filter(finding => !isDenial(finding))]
  return {
    findings: findings.map(findingOf),
    ...(denials.length > 0 && { denied: describe(denials, 'denies the change') }),
    ...(others.length > 0 && { approval: approvalFor(others) }),
  }
}

/** The approval that a change needs by both. */
export const strictestApproval = (
  required: RequiredApproval | undefined,
  byPolicy: RequiredApproval | undefined,
): RequiredApproval | undefined =>
  required?.count && byPolicy
    ? { ...required, ...bothPolicies(required, byPolicy), of: 'Changes' }
    : withPlan(required, byPolicy)

/** What nobody has to approve is only planned, even if a policy requires an approval. */
const withPlan = (required: RequiredApproval | undefined, byPolicy: RequiredApproval | undefined) =>
  required && byPolicy ? { ...byPolicy, ...(required.onPlan && { onPlan: required.onPlan }) } : (required ?? byPolicy)

const noChanges = { created: 0, configured: 0, recreated: 0, deleted: 0, unknown: 0, unchanged: 0 }

const withoutValues = ({ action, apiVersion, ref: { kind, namespace, name } }: PlannedChange) => ({
  ...{ action, apiVersion, kind, namespace, name },
})

/** The plurals of all kinds, by API version and kind. A kind that is not served, or can't be read, has the name that Kubernetes would guess. */
const resourcesOf = async (
  changes: readonly PlannedChange[],
  cluster: Pick<ClusterClient, 'resourceFor'>,
): Promise<ReadonlyMap<string, string>> => {
  const kinds = new Map(changes.map(({ apiVersion, ref: { kind } }) => [`${apiVersion}/${kind}`, { apiVersion, kind }]))
  const found = [...kinds].map(async ([key, { apiVersion, kind }]) => {
    const served = await cluster.resourceFor(apiVersion, kind).catch(() => undefined)
    return [key, served?.plural ?? guessResource(kind)] as const
  })
  return new Map(await Promise.all(found))
}

/** An object that is deleted and created again is judged as both. */
const judgedChanges = (
  { action, apiVersion, ref, origin, desired, defaulted, removed, states }: PlannedChange,
  resources: ReadonlyMap<string, string>,
  disclosure: Disclosure,
): readonly JudgedChange[] => {
  const { kind, namespace, name } = ref
  const base = {
    ...{ apiVersion, kind, namespace, name, resource: resources.get(`${apiVersion}/${kind}`)! },
    title: `${describeRef(ref)}${origin === undefined ? '' : ` (${origin})`}`,
    isHidden: [desired, removed, states?.before].some(object => object && isHidden(object, disclosure)),
  }
  const stored = action === 'recreated' ? desired : (states?.after ?? defaulted ?? desired)
  const [after, before] = [shown(stored), shown(states?.before ?? removed)]
  const created = { ...base, operation: 'CREATE', ...(after && { object: after }) } as const
  const deleted = { ...base, operation: 'DELETE', ...(before && { oldObject: before }) } as const
  switch (action) {
    case 'deleted':
      return [deleted]
    case 'recreated':
      return [deleted, created]
    case 'configured':
      return [{ ...base, operation: 'UPDATE', ...(after && { object: after }), ...(before && { oldObject: before }) }]
    default:
      return [created]
  }
}

const isHidden = (object: KubernetesObject, disclosure: Disclosure): boolean =>
  isSecret(object) || disclosure.isHidden(object)

/** A Secret with the names of its values only: an expression can't find out what they are. */
const shown = (object: KubernetesObject | undefined): KubernetesObject | undefined => {
  if (!object || !isSecret(object)) return object
  const { data, stringData, metadata, ...rest } = object as KubernetesObject & Record<'data' | 'stringData', object>
  const { [lastApplied]: _, ...annotations } = metadata.annotations ?? {}
  const names = Object.keys({ ...data, ...stringData }).map(name => [name, ''])
  return { ...rest, metadata: { ...metadata, annotations }, data: Object.fromEntries(names) } as KubernetesObject
}

/** kubectl's copy of the whole object. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

const findingOf = (finding: Finding): PolicyFinding => ({
  policy: finding.policy.metadata.name,
  action: isDenial(finding) ? 'Deny' : 'RequireApproval',
  message: finding.message,
})

const isDenial = ({ policy }: Finding): boolean => policy.spec.action !== 'RequireApproval'

const maxNamed = 10

const describe = (findings: readonly Finding[], verb: string): string => {
  const named = findings.slice(0, maxNamed).map(({ policy, message }) => `${titleOf(policy)} ${verb}: ${message}`)
  const more = findings.length > maxNamed ? [`and ${findings.length - maxNamed} more`] : []
  return [...named, ...more].join('\n')
}

const titleOf = ({ metadata }: ChangePolicy): string => policyTitle(metadata.name)

/** Annotations of the policies say how many users, and whether the author counts. */
const approvalFor = (findings: readonly Finding[]): RequiredApproval => {
  const byPolicy = Map.groupBy(findings, ({ policy }) => policy)
  const objects = [...byPolicy].map(([policy, of]) => ({
    owner: `${titleOf(policy)} (${of
      .slice(0, maxNamed)
      .map(({ message }) => message)
      .join('; ')})`,
    object: {
      ...policy,
      metadata: {
        ...policy.metadata,
        annotations: { ...policy.metadata.annotations, [approvalAnnotation]: 'Required' },
      },
    },
  }))
  return { ...approvalPolicyOf(objects)!, of: 'Changes' }
}
