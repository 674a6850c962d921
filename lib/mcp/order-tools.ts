/**
 * What an agent may order of changes that are under way: rollouts, where writing is allowed, and decisions about plans, where an operator has
 * allowed those as well. An agent names what it has read: nothing else is decided.
 */
import * as z from 'zod'
import { orderPatch } from '../foundations/fleet/actions.ts'
import { approvalOf } from '../foundations/fleet/decision.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Plan } from '../foundations/kinds/plan.ts'
import { runOrders } from '../foundations/kinds/rollout-run.ts'
import { orderRefusal } from '../foundations/rollout/orders.ts'
import { approvalKind, planKind, rolloutRunKind } from '../hub-client/fleet-kinds.ts'
import { readRollout } from '../hub-client/read-rollouts.ts'
import { resourcePath } from '../hub-client/resource-path.ts'
import { objectTerms } from './terms.ts'
import { type Tool, ToolFailure, tool } from './tool.ts'

const reason = (description: string) => z.string().min(3).max(500).describe(description)

const orderRollout = tool({
  name: 'order_rollout',
  title: 'Pause, resume, retry, abort or roll back a rollout',
  description:
    'Gives the latest run of a Rollout an order, as `keelson rollout` does. Pause: no further cluster starts. Resume accepts the failures so far. Abort: units stay where they are. Rollback: all units return to the revision of the last run that succeeded, at once.',
  input: z.object({
    namespace: objectTerms.namespace,
    name: z.string().describe('Name of the Rollout.'),
    run: z.string().describe('Name of the run as in get_rollout: the order fails if a newer one has begun.'),
    order: z.enum(runOrders),
    reason: reason('Why, for the record.'),
  }),
  output: z.looseObject({ object: z.string(), order: z.string() }),
  writes: { isDestructive: true, isIdempotent: false },
  run: async ({ namespace, name, run: wanted, order, reason }, { api, now, signal }) => {
    const { rollout, runs } = await readRollout(api, { namespace, name }, signal)
    const run = runs.at(-1)
    if (run?.metadata.name !== wanted)
      throw new ToolFailure(`the latest run of Rollout ${namespace}/${name} is ${run?.metadata.name ?? 'none'}`)
    if (rollout.spec.suspend)
      throw new ToolFailure(`Rollout ${namespace}/${name} is suspended, and carries out no order`)
    const refusal = orderRefusal(order, run.status?.phase ?? 'Running', run.spec.previous !== undefined)
    if (refusal) throw new ToolFailure(`${order} has no effect: ${refusal}`)
    const patch = orderPatch({ type: order, id: new Date(now()).toISOString(), reason })
    await api.mergePatch(resourcePath(rolloutRunKind, { namespace, name: wanted }), patch)
    const object = `RolloutRun/${namespace}/${wanted}`
    return { summary: `Ordered ${order} of ${object}. Call get_rollout for the result.`, data: { object, order } }
  },
})

export const orderTools: readonly Tool[] = [orderRollout]

const decidePlan = tool({
  name: 'decide_plan',
  title: 'Approve or reject a plan',
  description:
    'Approves or rejects exactly the change with this digest, in the name of your user. Only if a person wants this decision about this plan.',
  input: z.object({
    namespace: objectTerms.namespace,
    name: z.string().describe('Name of the plan, as in list_plans.'),
    digest: z.string().describe('`spec.digest` of the plan that you have read with get_plan.'),
    decision: z.enum(['Approved', 'Rejected']),
    comment: reason('Why, and who wants it.'),
  }),
  output: z.looseObject({ object: z.string(), decision: z.string() }),
  writes: { isDestructive: true, isIdempotent: true },
  run: async ({ namespace, name, digest, decision, comment }, { api, signal }) => {
    const found = await api.get<Plan>(resourcePath(planKind, { namespace, name }), signal)
    const { phase } = found.status ?? {}
    if (phase === 'Applied' || phase === 'Stale' || phase === 'Expired')
      throw new ToolFailure(`plan ${name} is ${phase}: there is nothing to decide about`)
    if (found.spec.digest !== digest)
      throw new ToolFailure(`plan ${name} has the digest ${found.spec.digest}: read it again`)
    const { expiresAt, approvals } = found.spec
    if (decision === 'Approved' && approvals?.signedFor !== undefined)
      throw new ToolFailure(
        `the runner of Cluster ${approvals.signedFor} counts approvals with a signature by one of its keys only: a person signs with keelson approve ${name} -n ${namespace} --sign-with KEY`,
      )
    const about = { ...found, apiVersion: apiVersionOf(planKind), kind: planKind.kind }
    const spec = {
      subject: { kind: 'Plan', name },
      digest,
      decision,
      comment: `By an agent: ${comment}`,
      expiresAt,
    } as const
    await api.post(resourcePath(approvalKind, { namespace }), approvalOf(about, spec, name))
    const object = `Plan/${namespace}/${name}`
    return { summary: `${decision} ${object}. Call get_plan for the result.`, data: { object, decision } }
  },
})

export const decisionTools: readonly Tool[] = [decidePlan]
