/** What a person can do with a plan. Pure. */
import { approvalOf, type Decision } from '../../foundations/fleet/decision.ts'
import { apiVersionOf } from '../../foundations/kinds/all.ts'
import type { Plan } from '../../foundations/kinds/plan.ts'
import { isSameUser } from '../../foundations/rules/approvals.ts'
import { approvalKind, planKind } from '../../hub-client/fleet-kinds.ts'
import type { PlanView } from '../../hub-client/read-plans.ts'
import type { WriteRequest } from '../../hub-client/send-requests.ts'
import { type Action, type Confirmed, commentOf, decisionComment } from './action.ts'
import { counted } from './phrases.ts'
import { isOpen, missingApprovals, plannedParts } from './plan-text.ts'

type Subject = Pick<PlanView, 'plan' | 'mayDecide'>

/** `user` is the name of the person. */
export const planActions = ({ plan, mayDecide }: Subject, user: string): readonly Action[] => {
  if (!mayDecide || !isOpen(plan)) return []
  const { phase = 'Waiting', approvedBy = [] } = plan.status ?? {}
  const { unit } = plan.spec
  const isRejected = phase === 'Rejected'
  const mayApprove = phase !== 'Approved' && !approvedBy.includes(user) && !isOwn(plan, user) && !signedFor(plan)
  const left = missingApprovals(plan) - 1
  return [
    ...(isRejected
      ? []
      : [
          {
            ...({ label: 'Reject…', style: 'danger', done: `Rejected the plan of ${unit.name}` } as const),
            question: {
              ...{ title: `Reject the plan of ${unit.name}`, confirm: 'Reject', reason: decisionComment },
              text: `Nothing of it is applied: ${listed(plan)}. The next change gets a plan of its own.`,
            },
            requests: decide(plan, 'Rejected'),
          },
        ]),
    ...(mayApprove
      ? [
          {
            ...({ label: 'Approve…', style: 'main', done: `Approved the plan of ${unit.name}` } as const),
            question: {
              ...{ title: `Approve the plan of ${unit.name}`, confirm: 'Approve', reason: decisionComment },
              text: `Exactly this is applied: ${listed(plan)}.`,
              note: isRejected
                ? 'It counts if nobody else has rejected it.'
                : left > 0
                  ? `${counted(left, 'further approval')} needed after yours.`
                  : 'It is applied at once. If the build or these fields on the cluster are different by then, nothing is.',
            },
            requests: decide(plan, 'Approved'),
          },
        ]
      : []),
  ]
}

const listed = ({ spec }: Plan): string =>
  plannedParts(spec.counts)
    .map(({ text }) => text)
    .join(', ') || 'no changes'

/** The Cluster whose runner counts signed approvals only: a browser has no key to sign with. */
const signedFor = ({ spec }: Plan): string | undefined => spec.approvals?.signedFor

const isOwn = ({ spec }: Plan, user: string): boolean =>
  !spec.approvals?.authorMayApprove && isSameUser(user, spec.author)

const decide =
  (plan: Plan, decision: Decision) =>
  (confirmed: Confirmed): readonly WriteRequest[] => {
    const { name, namespace = '' } = plan.metadata
    const { digest, expiresAt } = plan.spec
    const spec = {
      subject: { kind: 'Plan', name },
      digest,
      decision,
      comment: commentOf(confirmed),
      expiresAt,
    } as const
    const about = { ...plan, apiVersion: apiVersionOf(planKind), kind: planKind.kind }
    return [{ kind: approvalKind, namespace, object: approvalOf(about, spec, name) }]
  }

/** Why they can't do more, in sentences. */
export const missingPlanActions = ({ plan, mayDecide }: Subject, user: string): readonly string[] => {
  if (!isOpen(plan)) return []
  if (!mayDecide) return [`No decision: ${user} may not approve plans in the namespace ${plan.metadata.namespace}.`]
  if (plan.status?.approvedBy?.includes(user)) return ['You have approved it.']
  const cluster = signedFor(plan)
  if (cluster !== undefined)
    return [
      `No approval here: it needs a signature by a key of the runner of Cluster ${cluster}. Run keelson plans ${plan.metadata.name} -n ${plan.metadata.namespace}, which prints the digest to sign.`,
    ]
  return isOwn(plan, user) ? ['No approval: you have pushed this revision, and somebody else must approve it.'] : []
}
