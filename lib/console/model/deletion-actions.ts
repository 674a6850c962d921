/** What a person can do about deletions that a unit holds back. Pure. */
import { allowPrunePatch, type HeldList, heldList } from '../../foundations/fleet/actions.ts'
import { type Decision, listApprovalOf } from '../../foundations/fleet/decision.ts'
import { statusCondition } from '../../foundations/fleet/object-state.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { approvalKind } from '../../hub-client/fleet-kinds.ts'
import type { ObjectPatch, WriteRequest } from '../../hub-client/send-requests.ts'
import { type Action, type Confirmed, commentOf, decisionComment, type Question } from './action.ts'

type Own = (body: object) => ObjectPatch

/** The list of deletions that an object holds back. */
export const heldBy = (object: KubernetesObject): (HeldList & { readonly message: string }) | undefined => {
  const guarded = statusCondition(object, pruneGuarded)
  const held = guarded?.status === 'True' ? heldList(guarded.message) : undefined
  return held && guarded && { ...held, message: guarded.message }
}

/** What is to be confirmed before deletions are allowed. */
const allowing = (name: string, message: string): Question => ({
  ...{ title: `Allow the deletions of ${name}`, confirm: 'Delete these' },
  text: withoutCommand(message),
  note: 'Exactly these are deleted, once. If the list has changed in the meantime, nothing is.',
})

/** For units whose deletions are held, by who may approve: a decision that is stored with their name. */
export const decisionsOf = (object: KubernetesObject): readonly Action[] => {
  const held = heldBy(object)
  if (!held) return []
  const { name, namespace = '' } = object.metadata
  const { digest, message } = held
  const decide =
    (decision: Decision) =>
    (confirmed: Confirmed): readonly WriteRequest[] => [
      {
        kind: approvalKind,
        namespace,
        object: listApprovalOf(object, { digest, decision, comment: commentOf(confirmed) }),
      },
    ]
  return [
    {
      ...{ label: 'Reject deletions…', style: 'plain', done: `Rejected the deletions of ${name}` },
      question: {
        ...{ title: `Reject the deletions of ${name}`, confirm: 'Reject', reason: decisionComment },
        text: withoutCommand(message),
        note: 'Nothing of it is deleted. Another list can be decided about again.',
      },
      requests: decide('Rejected'),
    },
    {
      ...{ label: 'Allow deletions…', style: 'danger', done: `Allowed the deletions of ${name}` },
      question: { ...allowing(name, message), reason: decisionComment },
      requests: decide('Approved'),
    },
  ]
}

/** The same by who may only change the unit, where that is enough. */
export const allowanceOf = (object: KubernetesObject, own: Own): readonly Action[] => {
  const { name } = object.metadata
  const held = heldBy(object)
  if (!held?.isAnnotationEnough) return []
  return [
    {
      ...{ label: 'Allow deletions…', style: 'danger', done: `Allowed the deletions of ${name}` },
      question: allowing(name, held.message),
      requests: ({ now }) => [own(allowPrunePatch(held.digest, new Date(now).toISOString()))],
    },
  ]
}

/** A message of the guard without the command: the page has buttons in its place. */
export const withoutCommand = (message: string): string =>
  heldList(message) ? message.replace(/; to delete (?:exactly these|it after all), [^;]*?: keelson [^;]*/, '') : message
