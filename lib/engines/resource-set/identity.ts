import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf, refKey } from '../../foundations/kinds/object.ts'

/** The reference to a rendered object. A name that YAML reads as a number is invalid: quote it. */
export const identityOf = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef => ({
  group: groupOf(text(apiVersion)),
  kind,
  namespace: text(metadata?.namespace),
  name: text(metadata?.name),
})

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Drops duplicates: the first object of a name is kept, whatever its version (RS-054, RS-055). */
export const withoutDuplicates = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] => {
  const known = new Map<string, KubernetesObject>()
  for (const object of objects) {
    const key = refKey(identityOf(object))
    if (!known.has(key)) known.set(key, object)
  }
  return [...known.values()]
}
