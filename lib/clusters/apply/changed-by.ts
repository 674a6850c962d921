import { isObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'

/** A step into an object: a field, or the item of a list that has this name. */
export type Step = string | { readonly name: string }

/** Who has set a field, as its object's managed fields say. */
export interface FieldAuthor {
  readonly manager: string
  /** RFC 3339; when this manager last changed any of its fields. */
  readonly changedAt?: string
}

/** The latest manager of a field, other than `own`. Nobody owns a field that was removed: undefined. */
export const changedBy = (
  { metadata: { managedFields = [] } }: KubernetesObject,
  steps: readonly Step[],
  own: string,
): FieldAuthor | undefined => {
  const [latest] = managedFields
    .filter(({ manager, subresource, fieldsV1 }) => manager && manager !== own && !subresource && owns(fieldsV1, steps))
    .toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))
  return latest?.manager ? { manager: latest.manager, ...(latest.time && { changedAt: latest.time }) } : undefined
}

/** Whether a FieldsV1 set (structured-merge-diff's notation) has a field, something below it, or as a whole what it is in. */
const owns = (set: unknown, [step, ...rest]: readonly Step[]): boolean => {
  if (!isObject(set)) return false
  if (step === undefined) return true
  const members = Object.keys(set).filter(key => key !== '.')
  if (members.length === 0) return true
  const key = typeof step === 'string' ? `f:${step}` : members.find(member => isItemNamed(member, step.name))
  return key !== undefined && owns(set[key], rest)
}

const isItemNamed = (member: string, name: string): boolean => {
  if (!member.startsWith('k:')) return false
  const keys: unknown = JSON.parse(member.slice(2))
  return isObject(keys) && keys.name === name
}
