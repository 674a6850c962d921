/**
 * What an agent may set off, where an operator has enabled it and the roles of the caller allow it. Each tool changes an annotation or a
 * field of an object of the hub: none of them writes to a cluster.
 */
import * as z from 'zod'
import { reconcilePatch, resumePatch, suspendPatch } from '../foundations/fleet/actions.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import { delivery } from '../foundations/kinds/delivery.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { timestamp } from '../foundations/rules/conditions.ts'
import { resourcePath } from '../hub-client/resource-path.ts'
import { kindNamed, objectTerms } from './terms.ts'
import { type Tool, type ToolContext, tool } from './tool.ts'

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
  description: 'Resumes the reconciliation of a suspended object, which then applies what its source has.',
  input: z.object(objectTerms),
  output: changed,
  writes: { isDestructive: false, isIdempotent: true },
  run: async (target, context) => {
    const object = await patched(target, kind => resumePatch({ apiVersion: apiVersionOf(kind) }), context)
    return { summary: `Resumed ${object}. Call \`why\` for the result.`, data: { object } }
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

export const writeTools: readonly Tool[] = [reconcile, suspend, resume, retryDelivery]
