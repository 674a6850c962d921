/**
 * What an agent may set off, where an operator has enabled it and the roles of the caller allow it. Each tool changes an annotation or a
 * field of an object of the hub: none of them writes to a cluster.
 */
import * as z from 'zod'
import {
  planPatch,
  reconcilePatch,
  redoPatch,
  resumePatch,
  suspendPatch,
  undoPatch,
} from '../foundations/fleet/actions.ts'
import { isOff } from '../foundations/fleet/object-state.ts'
import { appliedBy, type UndoTarget, undoRefusal } from '../foundations/fleet/undo-targets.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import { delivery } from '../foundations/kinds/delivery.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { Run } from '../foundations/kinds/run.ts'
import { undoOf } from '../foundations/kinds/undo.ts'
import { timestamp } from '../foundations/rules/conditions.ts'
import { errorMessage } from '../foundations/rules/error-message.ts'
import { runKind } from '../hub-client/fleet-kinds.ts'
import { resourcePath } from '../hub-client/resource-path.ts'
import { kindNamed, objectTerms } from './terms.ts'
import { type Tool, type ToolContext, ToolFailure, tool } from './tool.ts'

const changed = z.looseObject({ object: z.string() })

const patched = async (
  { kind: word, namespace, name }: { readonly kind: string; readonly namespace: string; readonly name: string },
  patchOf: (kind: Kind) => object,
  { api }: ToolContext,
): Promise<string> => {
  const kind = kindNamed(word)
  await api.mergePatch(resourcePath(kind, { ...(kind.namespaced && { namespace }), name }), patchOf(kind))
  return `${kind.kind}/${namespace}/${name}`
}

type Target = Parameters<typeof patched>[0]

const readTarget = async (
  { kind: word, namespace, name }: Target,
  { api, signal }: ToolContext,
): Promise<KubernetesObject> => {
  const kind = kindNamed(word)
  const path = resourcePath(kind, { ...(kind.namespaced && { namespace }), name })
  return { ...(await api.get<KubernetesObject>(path, signal)), apiVersion: apiVersionOf(kind), kind: kind.kind }
}

const reconcile = tool({
  name: 'reconcile',
  title: 'Reconcile an object',
  description:
    'Requests a reconciliation now, as `flux reconcile` does. It applies what the source has: nothing else changes.',
  input: z.object(objectTerms),
  output: changed,
  writes: { isDestructive: false, isIdempotent: false },
  run: async (target, context) => {
    const object = await patched(target, () => reconcilePatch(timestamp(context.now())), context)
    return { summary: `Requested a reconciliation of ${object}. Call \`why\` for the result.`, data: { object } }
  },
})

const suspend = tool({
  name: 'suspend',
  title: 'Suspend an object',
  description:
    'Stops the reconciliation of an object until it is resumed. Changes in git and drift on the cluster are then left alone.',
  input: z.object({
    ...objectTerms,
    reason: z.string().min(3).max(200).describe('Why, for the people who find it suspended.'),
  }),
  output: changed,
  writes: { isDestructive: true, isIdempotent: true },
  run: async ({ reason, ...target }, context) => {
    const object = await patched(target, kind => suspendPatch({ apiVersion: apiVersionOf(kind) }, reason), context)
    return { summary: `Suspended ${object}.`, data: { object } }
  },
})

const resume = tool({
  name: 'resume',
  title: 'Resume an object',
  description:
    'Resumes the reconciliation of a suspended object, or ends the undo of a unit, which then applies what its source has.',
  input: z.object(objectTerms),
  output: changed,
  writes: { isDestructive: false, isIdempotent: true },
  run: async (target, context) => {
    const found = await readTarget(target, context)
    const isUndone = !isOff(found) && undoOf(found) !== undefined
    const patch = isUndone ? redoPatch(timestamp(context.now())) : resumePatch(found)
    const object = await patched(target, () => patch, context)
    return { summary: `Resumed ${object}. Call \`why\` for the result.`, data: { object } }
  },
})

const undo = tool({
  name: 'undo',
  title: 'Return a unit to an earlier run',
  description:
    'Has a Kustomization or HelmRelease apply again what an earlier run has applied, and keep it until `resume`: newer revisions wait. Read the runs with `history` first. Windows, approvals and the guard hold as for any change.',
  input: z.object({
    kind: z.enum(['Kustomization', 'HelmRelease']).describe('Kind of the unit.'),
    namespace: objectTerms.namespace,
    name: z.string().describe('Name of the unit.'),
    run: z.string().describe('Name of the run that it returns to: one that has succeeded, with other manifests.'),
    reason: z.string().min(3).max(200).describe('Why, for the people who find it undone.'),
  }),
  output: z.looseObject({ object: z.string(), revision: z.string() }),
  writes: { isDestructive: true, isIdempotent: true },
  run: async ({ run: name, reason, ...target }, context) => {
    const unit = await readTarget(target, context)
    const refusal = undoRefusal(unit)
    if (refusal) throw new ToolFailure(`${target.kind}/${target.namespace}/${target.name} ${refusal}`)
    const path = resourcePath(runKind, { namespace: target.namespace, name })
    const { to, revision } = appliedByRun(await context.api.get<Run>(path, context.signal), unit)
    const object = await patched(target, () => undoPatch(to, reason), context)
    return { summary: `${object} returns to that run. Call \`why\` for the result.`, data: { object, revision } }
  },
})

const appliedByRun = (run: Run, unit: KubernetesObject): UndoTarget => {
  try {
    return appliedBy(run, unit)
  } catch (error) {
    throw new ToolFailure(errorMessage(error))
  }
}

const makePlan = tool({
  name: 'make_plan',
  title: 'Have a unit plan its changes',
  description:
    'Has every further change of a Kustomization, HelmRelease or ResourceSet wait as a plan until people approve it (`fleet.keelson.dev/approval: Required`), and requests a pass, which plans what its source has. Call it before the change is merged: what the unit has applied already is not planned. People lift it by removing the annotation.',
  input: z.object({
    kind: z.enum(['Kustomization', 'HelmRelease', 'ResourceSet']).describe('Kind of the unit.'),
    namespace: objectTerms.namespace,
    name: z.string().describe('Name of the unit.'),
  }),
  output: changed,
  writes: { isDestructive: true, isIdempotent: false },
  run: async (target, context) => {
    const unit = await readTarget(target, context)
    const named = `${target.kind}/${target.namespace}/${target.name}`
    if (isOff(unit)) throw new ToolFailure(`${named} is suspended: no pass plans it until it is resumed`)
    const object = await patched(target, () => planPatch(timestamp(context.now())), context)
    const summary = `Changes of ${object} wait for an approval from now on. Call \`list_plans\` for the plan of what its source has, and \`why\` if there is none.`
    return { summary, data: { object } }
  },
})

const retryDelivery = tool({
  name: 'retry_delivery',
  title: 'Repeat the delivery of a webhook',
  description: 'Repeats a call of a webhook that the hub has recorded, as `keelson redeliver` does.',
  input: z.object({ namespace: objectTerms.namespace, name: z.string().describe('Name of the Delivery.') }),
  output: changed,
  writes: { isDestructive: false, isIdempotent: false },
  run: async ({ namespace, name }, { api }) => {
    const path = resourcePath(delivery as unknown as Kind, { namespace, name })
    const { metadata } = await api.post<{ readonly metadata: { readonly name: string } }>(`${path}/redeliver`, {})
    const object = `Delivery/${namespace}/${metadata.name}`
    return { summary: `Repeated as ${object}.`, data: { object } }
  },
})

export const writeTools: readonly Tool[] = [reconcile, suspend, resume, undo, makePlan, retryDelivery]
