import {
  type Approval,
  approval as approvalKind,
  isApproval,
  subjectResource,
} from '../../foundations/kinds/approval.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { forbidden } from '../store/api-errors.ts'
import { hubController } from '../store/changers.ts'
import type { Authorize, User } from './access.ts'

/**
 * Fails unless a user may decide about the subject of a new Approval, which requires the verb `approve` on it. The hub itself never decides: what it applies from a
 * source would approve itself. Ignores other objects, and Approvals that exist. Fails with Forbidden.
 */
export const requireApprovalAllowed = async (
  user: User,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  authorize: Authorize,
): Promise<void> => {
  if (old || !isApproval(object)) return
  const subject = subjectResource(object as Approval)
  if (!subject) return
  const { group, plural } = subject
  const { metadata, spec } = object as Approval
  const { name } = spec.subject
  const { namespace = '' } = metadata
  if (user.name === hubController)
    throw forbidden(approvalKind, metadata.name, 'a source that is applied to the hub can not approve; users do')
  const resource = { group, version: '*', resource: plural, subresource: '', namespace, name }
  const { allowed } = await authorize({ user, verb: 'approve', path: '', resource })
  if (allowed) return
  throw forbidden(
    approvalKind,
    metadata.name,
    `user "${user.name}" may not approve ${plural}.${group} "${name}" in the namespace "${namespace}"`,
  )
}
