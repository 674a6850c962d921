import type { InventoryEntry } from '../kinds/kustomization.ts'
import { type KubernetesObject, type ObjectRef, refOf, versionOf } from '../kinds/object.ts'

const RBAC_GROUP = 'rbac.authorization.k8s.io'

/** Colons, which only occur in names of RBAC objects, are written as `__` (KS-327). */
export const inventoryId = ({ namespace, name, group, kind }: ObjectRef): string =>
  `${namespace}_${group === RBAC_GROUP ? name.replaceAll(':', '__') : name}_${group}_${kind}`

/** Fails if the text is not an inventory id. */
export const parseInventoryId = (id: string): ObjectRef => {
  const [, namespace, name, group, kind] = /^([^_]*)_(.+)_([^_]*)_([^_]+)$/s.exec(id) ?? []
  if (namespace === undefined || !name || group === undefined || !kind)
    throw new Error(`unable to parse stored object metadata: ${id}`)
  return { namespace, name: name.replaceAll('__', ':'), group, kind }
}

/**
 * The entry of an applied object, as Flux writes it: `id` identifies the object, `v` is the version that it was applied
 * in.
 */
export const inventoryEntry = (object: KubernetesObject): InventoryEntry => ({
  id: inventoryId(refOf(object)),
  v: versionOf(object.apiVersion),
})

/** The apiVersion and ref of an entry's object. */
export const inventoryObject = ({
  id,
  v,
}: InventoryEntry): { readonly apiVersion: string; readonly ref: ObjectRef } => {
  const ref = parseInventoryId(id)
  return { apiVersion: ref.group ? `${ref.group}/${v}` : v, ref }
}

/** The entries of `before` whose objects are not in `after`, in any version. */
export const inventoryDifference = (
  before: readonly InventoryEntry[],
  after: readonly InventoryEntry[],
): readonly InventoryEntry[] => {
  const kept = new Set(after.map(({ id }) => id))
  return before.filter(({ id }) => !kept.has(id))
}

/** The entries of both, each object once; the version in the later inventory wins. */
export const inventoryUnion = (
  first: readonly InventoryEntry[],
  second: readonly InventoryEntry[],
): readonly InventoryEntry[] => [...new Map([...first, ...second].map(entry => [entry.id, entry])).values()]
