/** What a user has done with an object, found by comparing it with what it was. Pure. */
import { allowPruneAnnotation } from '../kinds/applied.ts'
import { type Approval, isApproval, subjectRef } from '../kinds/approval.ts'
import { forceAtAnnotation, requestedAtOf, resetAtAnnotation, suspendedForAnnotation } from '../kinds/flux.ts'
import { groupOf, type KubernetesObject, type ObjectRef, refOf } from '../kinds/object.ts'
import { isHubGroup } from '../kinds/references.ts'
import { type RolloutRun, rolloutRun } from '../kinds/rollout-run.ts'
import { undoAnnotation, undoneForAnnotation, undoTextOf } from '../kinds/undo.ts'
import { overrideAnnotation } from '../kinds/window.ts'
import { isOff } from './object-state.ts'

export interface UserAction {
  /** The object that it is about. */
  readonly about: ObjectRef
  /** In one word, as of Events. */
  readonly reason: string
  /** What was done and why, without who. */
  readonly message: string
}

/** Undefined for other changes. `old` is absent for a new object. */
export const userAction = (object: KubernetesObject, old: KubernetesObject | undefined): UserAction | undefined => {
  if (!isHubGroup(groupOf(object.apiVersion))) return undefined
  if (isApproval(object)) return old ? undefined : decision(object as Approval)
  if (!old) return undefined
  const action = (reason: string, what: string, why?: string): UserAction => ({
    ...{ about: refOf(object), reason },
    message: why ? `${what}: ${why}` : what,
  })
  const annotations = object.metadata.annotations ?? {}
  const isNew = (name: string) =>
    annotations[name] !== undefined && annotations[name] !== old.metadata.annotations?.[name]
  if (isOff(object) !== isOff(old))
    return isOff(object)
      ? action('Suspended', 'suspended', annotations[suspendedForAnnotation])
      : action('Resumed', 'resumed')
  const order = object.kind === rolloutRun.kind ? (object as RolloutRun).spec.order : undefined
  if (order && order.id !== (old as RolloutRun).spec.order?.id)
    return action('Ordered', `ordered: ${order.type}`, order.reason)
  if (isNew(allowPruneAnnotation))
    return action('DeletionsAllowed', 'allowed the deletions with', annotations[allowPruneAnnotation]?.split('@')[0])
  if (isNew(overrideAnnotation)) {
    const [until, ...reason] = annotations[overrideAnnotation]!.split(' ')
    return action('WindowOverridden', `overrode its windows until ${until}`, reason.join(' '))
  }
  if (isNew(undoAnnotation))
    return action(
      'UndoRequested',
      `undid it, to keep the manifests ${annotations[undoAnnotation]}`,
      annotations[undoneForAnnotation],
    )
  if (undoTextOf(old) !== undefined && undoTextOf(object) === undefined)
    return action('Resumed', 'resumed it after an undo')
  if (isNew(forceAtAnnotation))
    return action('ForceRequested', 'requested a release whether anything has changed or not')
  if (isNew(resetAtAnnotation)) return action('RetryRequested', 'requested another attempt')
  return requestedAtOf(object) !== requestedAtOf(old)
    ? action('ReconciliationRequested', 'requested a reconciliation')
    : undefined
}

const decision = (approval: Approval): UserAction => {
  const { subject, decision = 'Approved', comment, digest } = approval.spec
  const { stage, cluster } = subject
  const where = `${stage ? ` stage ${stage}` : ''}${cluster ? ` on ${cluster}` : ''}`
  const what = `${decision.toLowerCase()}${where} ${digest}`
  return { about: subjectRef(approval), reason: decision, message: comment ? `${what}: ${comment}` : what }
}
