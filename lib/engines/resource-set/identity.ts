import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf, refKey } from '../../foundations/kinds/object.ts'

/** What a rendered object names. A name that YAML reads as a number is none: quote it. */
export const identityOf = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef => ({
  group: groupOf(text(apiVersion)),
  kind,
  namespace: text(metadata?.namespace),
  name: text(metadata?.name),
})

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Each object once: the first that names it stands, whatever its version (RS-054, RS-055). */
export const withoutDuplicates = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] => {
  const known = new Map<string, KubernetesObject>()
  for (const object of objects) {
    const key = refKey(identityOf(object))
    if (!known.has(key)) known.set(key, object)
  }
  return [...known.values()]
}
