/** Actions on objects, as merge patches: what flux, `keelson` and the console send. Pure. */
import { allowPruneAnnotation } from '../kinds/applied.ts'
import { approvalAnnotation } from '../kinds/approval.ts'
import { forceAtAnnotation, requestedAtAnnotation, resetAtAnnotation, suspendedForAnnotation } from '../kinds/flux.ts'
import { reconcileAnnotationOf } from '../kinds/flux-operator.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { RunOrder } from '../kinds/rollout-run.ts'
import { undoAnnotation, undoneForAnnotation } from '../kinds/undo.ts'
import { overrideAnnotation } from '../kinds/window.ts'
import type { ApprovalMode } from '../rules/approvals.ts'

type Target = Pick<KubernetesObject, 'apiVersion'>

/** Requests a reconciliation. `at` is RFC 3339: another value than before. */
export const reconcilePatch = (at: string): object => ({ metadata: { annotations: { [requestedAtAnnotation]: at } } })

/** Requests one more attempt of a HelmRelease that has given up: its failures are counted from zero. */
export const retryPatch = (at: string): object => ({
  metadata: { annotations: { [requestedAtAnnotation]: at, [resetAtAnnotation]: at } },
})

/** Has a HelmRelease install or upgrade once more, whether anything has changed or not. */
export const forcePatch = (at: string): object => ({
  metadata: { annotations: { [requestedAtAnnotation]: at, [forceAtAnnotation]: at } },
})

/** Has every further change of a unit wait for an approval, and requests a pass: it plans what the source has. */
export const planPatch = (at: string): object => ({
  metadata: { annotations: { [approvalAnnotation]: 'Required' satisfies ApprovalMode, [requestedAtAnnotation]: at } },
})

/** Lifts what windows hold back, until a time (RFC 3339), for a reason. The hub notes who does it, which requires the verb `override`. */
export const overridePatch = (until: string, reason: string, at: string): object => ({
  metadata: { annotations: { [overrideAnnotation]: `${until} ${reason}`, [requestedAtAnnotation]: at } },
})

/** The hub notes who suspends, beside the reason. */
export const suspendPatch = (object: Target, reason: string): object => suspensionPatch(object, true, reason)

/** The inverse of `suspendPatch`, which also removes the reason. */
export const resumePatch = (object: Target): object => suspensionPatch(object, false, null)

/** Some kinds have an annotation in place of spec.suspend. */
const suspensionPatch = (object: Target, isSuspending: boolean, reason: string | null): object => {
  const annotation = reconcileAnnotationOf(object)
  const annotations = {
    [suspendedForAnnotation]: reason,
    ...(annotation && { [annotation]: isSuspending ? 'disabled' : null }),
  }
  return { metadata: { annotations }, ...(!annotation && { spec: { suspend: isSuspending } }) }
}

/** Has a unit keep manifests by their digest. The hub notes who undoes, beside the reason. */
export const undoPatch = (digest: string, reason?: string): object => ({
  metadata: { annotations: { [undoAnnotation]: digest, [undoneForAnnotation]: reason ?? null } },
})

/** Has a unit that was undone follow its source again. */
export const redoPatch = (at: string): object => ({
  metadata: { annotations: { [undoAnnotation]: null, [requestedAtAnnotation]: at } },
})

/** Gives a RolloutRun an order. The hub notes who does it. */
export const orderPatch = (order: RunOrder): object => ({ spec: { order: { reason: null, ...order } } })

/** Allows exactly the deletions with this digest, and requests a reconciliation. The time makes each approval unique, as each is valid only once. */
export const allowPrunePatch = (digest: string, at: string): object => ({
  metadata: { annotations: { [allowPruneAnnotation]: `${digest}@${at}`, [requestedAtAnnotation]: at } },
})

/** A list of deletions that a unit holds back. */
export interface HeldList {
  readonly digest: string
  /** Whether the annotation releases it; else only Approvals do. */
  readonly isAnnotationEnough: boolean
}

/** The list that the message of a condition PruneGuarded names; undefined if it names none. */
export const heldList = (message: string): HeldList | undefined => {
  const [, command, digest] = /keelson (allow-prune|approve) .*--digest (sha256:[0-9a-f]+)/.exec(message) ?? []
  return digest === undefined ? undefined : { digest, isAnnotationEnough: command === 'allow-prune' }
}
