import { namespace as namespaceKind } from '../../foundations/kinds/namespace.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { invalid as invalidField } from '../../foundations/kinds/schema/field-error.ts'
import { describeTarget, type TargetReference, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import {
  inheritedTarget,
  TargetError,
  targetNamespaceAnnotation,
  targetOfNamespace,
} from '../../foundations/rules/target.ts'
import { forbidden, invalid } from '../store/api-errors.ts'
import type { Authorize, User } from './access.ts'

/**
 * Fails unless a user may set this target on a Namespace. From then on everything in the Namespace uses the kubeconfig, so the user needs
 * the right to read it. Ignores other objects, and Namespaces whose target is unchanged. Fails with Forbidden, or Invalid.
 */
export const requireGrantableTarget = async (
  user: User,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  authorize: Authorize,
): Promise<void> => {
  if (groupOf(object.apiVersion) !== '' || object.kind !== 'Namespace' || !isChanged(object, old)) return
  const target = targetOf(object)
  if (!target) return
  const { kind, namespace, name } = target
  const resource = { group: '', version: 'v1', resource: `${kind.toLowerCase()}s`, subresource: '', namespace, name }
  const { allowed } = await authorize({ user, verb: 'get', path: '', resource })
  if (allowed) return
  throw forbidden(
    namespaceKind,
    object.metadata.name,
    `annotation ${targetAnnotation}: user "${user.name}" may not get ${describeTarget(target)}, and so may not set it on a Namespace`,
  )
}

const isChanged = ({ metadata: now }: KubernetesObject, old: KubernetesObject | undefined): boolean =>
  [targetAnnotation, targetNamespaceAnnotation].some(
    name => now.annotations?.[name] !== old?.metadata.annotations?.[name],
  )

/** Parses the annotations as everything in the Namespace does. */
const targetOf = (object: KubernetesObject): TargetReference | undefined => {
  const { name } = object.metadata
  try {
    inheritedTarget({ ...object, metadata: { name: '', namespace: name } }, object)
    return targetOfNamespace(object)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw invalid(namespaceKind, name, [
      invalidField('metadata.annotations', object.metadata.annotations?.[targetAnnotation] ?? '', error.message),
    ])
  }
}
