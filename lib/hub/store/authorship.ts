/** Records in an object who suspended it, who requested its reconciliation, who overrides its windows, who has undone it, who gave an order to a RolloutRun, and who has approved. */

import { type Approval, isApproval } from '../../foundations/kinds/approval.ts'
import {
  isSuspended,
  requestedAtOf,
  requestedByAnnotation,
  suspendedByAnnotation,
  suspendedForAnnotation,
} from '../../foundations/kinds/flux.ts'
import { isDisabled } from '../../foundations/kinds/flux-operator.ts'
import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { isHubGroup } from '../../foundations/kinds/references.ts'
import { orderedByAnnotation, type RolloutRun, rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { undoAnnotation, undoneByAnnotation, undoneForAnnotation, undoTextOf } from '../../foundations/kinds/undo.ts'
import { overriddenByAnnotation, overrideAnnotation } from '../../foundations/kinds/window.ts'

/**
 * The object as `user` changes it from `old`. A note, not an audit record: anyone who may write the object may write the annotation, and the
 * next request replaces it.
 */
export const withAuthor = (
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  user: string | undefined,
): KubernetesObject => {
  if (user === undefined || !isHubGroup(groupOf(object.apiVersion))) return object
  if (isApproval(object)) return approvedBy(object as Approval, old as Approval | undefined, user)
  const changes: Record<string, string | undefined> = {}
  if (isOff(object) !== (old !== undefined && isOff(old))) {
    changes[suspendedByAnnotation] = isOff(object) ? user : undefined
    if (!isOff(object)) changes[suspendedForAnnotation] = undefined
  }
  const isReasonLeft =
    undoTextOf(object) === undefined && object.metadata.annotations?.[undoneForAnnotation] !== undefined
  if (isReasonLeft) changes[undoneForAnnotation] = undefined
  const requestedAt = requestedAtOf(object)
  if (requestedAt !== undefined && requestedAt !== (old && requestedAtOf(old))) changes[requestedByAnnotation] = user
  if (orderOf(object) !== (old && orderOf(old))) changes[orderedByAnnotation] = user
  for (const [decision, author] of signedDecisions) {
    const by = authorOf(decision, author, { object, old, user })
    if (by !== object.metadata.annotations?.[author]) changes[author] = by
  }
  return Object.keys(changes).length === 0 ? object : withAnnotations(object, changes)
}

/**
 * Annotations that are decisions of users, and those of their authors, which only the server sets: an override needs its own right (see
 * authorize/override.ts), and who has undone a unit may not approve that. So nobody may attribute one to another user.
 */
const signedDecisions = [
  [overrideAnnotation, overriddenByAnnotation],
  [undoAnnotation, undoneByAnnotation],
] as const

const authorOf = (
  decision: string,
  author: string,
  {
    object,
    old,
    user,
  }: { readonly object: KubernetesObject; readonly old: KubernetesObject | undefined; readonly user: string },
): string | undefined => {
  const decided = object.metadata.annotations?.[decision]
  if (decided === undefined) return undefined
  const before = old?.metadata.annotations
  return decided === before?.[decision] ? before[author] : user
}

const orderOf = (object: KubernetesObject): string | undefined =>
  object.kind === rolloutRun.kind ? (object as RolloutRun).spec?.order?.id : undefined

/** Who has decided is not a note: only the server writes it, once. */
const approvedBy = (approval: Approval, old: Approval | undefined, user: string): Approval => ({
  ...approval,
  spec: { ...approval.spec, approver: old ? old.spec.approver : user },
})

const isOff = (object: KubernetesObject): boolean => isSuspended(object) || isDisabled(object)

const withAnnotations = (
  object: KubernetesObject,
  changes: Readonly<Record<string, string | undefined>>,
): KubernetesObject => {
  const entries = Object.entries({ ...object.metadata.annotations, ...changes })
  const annotations = Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
  const { annotations: _, ...metadata } = object.metadata
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) },
  } as KubernetesObject
}
