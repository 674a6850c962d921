import { groupOf, type KubernetesObject, versionOf } from '../../foundations/kinds/object.ts'
import { isHubGroup } from '../../foundations/kinds/references.ts'
import { invalid as invalidField } from '../../foundations/kinds/schema/field-error.ts'
import { overrideAnnotation, parseOverride } from '../../foundations/kinds/window.ts'
import { forbidden, invalid } from '../store/api-errors.ts'
import type { Authorize, User } from './access.ts'

/**
 * Fails unless a user may override the windows of a unit with a new value of its annotation, which requires the verb `override` on the unit.
 * Ignores other objects, and existing overrides. Fails with Forbidden, or Invalid.
 */
export const requireOverrideAllowed = async (
  user: User,
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  authorize: Authorize,
): Promise<void> => {
  const value = object.metadata.annotations?.[overrideAnnotation]
  const group = groupOf(object.apiVersion)
  if (value === undefined || value === old?.metadata.annotations?.[overrideAnnotation] || !isHubGroup(group)) return
  const { name, namespace = '' } = object.metadata
  const plural = `${object.kind.toLowerCase()}s`
  if (!parseOverride(value))
    throw invalid({ group, kind: object.kind }, name, [
      invalidField(
        `metadata.annotations[${overrideAnnotation}]`,
        value,
        'must be a time in RFC 3339 and a reason, as in "2026-11-27T14:00:00Z the fix of the outage"',
      ),
    ])
  const resource = { group, version: versionOf(object.apiVersion), resource: plural, subresource: '', namespace, name }
  const { allowed } = await authorize({ user, verb: 'override', path: '', resource })
  if (allowed) return
  throw forbidden(
    { group, plural },
    name,
    `annotation ${overrideAnnotation}: user "${user.name}" may not override ${plural}.${group} in the namespace "${namespace}"`,
  )
}
