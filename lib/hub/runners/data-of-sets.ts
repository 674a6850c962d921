import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { type ResourceSet, resourceSet } from '../../foundations/kinds/resource-set.ts'
import type { Copy } from './protocol.ts'

/** A Secret or ConfigMap, or the part of it that a set needs. */
export interface SetData {
  readonly object: KubernetesObject
  readonly isWhole: boolean
}

/** What a ResourceSet copies of the hub, as far as it may read that. */
export type DataOfSet = (set: ResourceSet) => Promise<readonly SetData[]>

/** What the ResourceSets of a runner copy: the objects, and which of them each set may read. */
export interface DataOfSets {
  readonly objects: readonly KubernetesObject[]
  readonly data?: NonNullable<Copy['data']>
}

/** The ResourceSets among units. */
export const resourceSetsIn = (units: readonly KubernetesObject[]): readonly ResourceSet[] =>
  units.filter((unit): unit is KubernetesObject & ResourceSet => unit.kind === resourceSet.kind)

/** Reads what the sets among the units copy. */
export const readDataOfSets = async (units: readonly KubernetesObject[], dataOfSet: DataOfSet): Promise<DataOfSets> => {
  const read = await Promise.all(resourceSetsIn(units).map(async set => ({ set, found: await dataOfSet(set) })))
  const copying = read.filter(({ found }) => found.length > 0)
  if (copying.length === 0) return { objects: [] }
  const named = copying.map(
    ({ set, found }) => [refKey(refOf(set)), found.map(({ object }) => dataName(object))] as const,
  )
  // The whole of an object takes the place of a part of it.
  const all = copying.flatMap(({ found }) => found).sort((one, other) => Number(one.isWhole) - Number(other.isWhole))
  return { objects: all.map(({ object }) => object), data: Object.fromEntries(named) }
}

/** `Kind/namespace/name`. */
export const dataName = ({ kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): string =>
  `${kind}/${metadata.namespace}/${metadata.name}`
