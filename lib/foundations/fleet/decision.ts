/** A decision of a user, as the object that stores it. Pure. */
import { apiVersionOf } from '../kinds/all.ts'
import { type Approval, approval as approvalKind } from '../kinds/approval.ts'
import type { Kind } from '../kinds/kind.ts'
import type { KubernetesObject } from '../kinds/object.ts'

export type Decision = NonNullable<Approval['spec']['decision']>

/** A decision about an object, with which it is deleted. Its name begins with `prefix`. */
export const approvalOf = (
  { apiVersion, kind, metadata }: KubernetesObject,
  spec: Approval['spec'],
  prefix: string,
): Approval => ({
  apiVersion: apiVersionOf(approvalKind as unknown as Kind),
  kind: approvalKind.kind,
  metadata: {
    ...{ name: '', generateName: `${prefix.slice(0, 200)}-`, namespace: metadata.namespace },
    ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
  },
  spec,
})

/** About a list of deletions that a unit holds back. */
export const listApprovalOf = (
  unit: KubernetesObject,
  { digest, decision, comment }: Pick<Approval['spec'], 'digest' | 'decision' | 'comment'>,
): Approval => {
  const { kind, metadata } = unit
  const subject = { kind: kind as Approval['spec']['subject']['kind'], name: metadata.name }
  return approvalOf(unit, { subject, digest, decision, comment }, `${kind.toLowerCase()}-${metadata.name}`)
}
