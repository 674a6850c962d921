import { compareText } from '../../foundations/go/compare-text.ts'
import type { BuildContext } from './build-context.ts'
import type { SortOptions } from './kustomization.ts'
import { KustomizeError } from './kustomize-error.ts'
import type { Resource } from './resource.ts'
import { gvkEquals, legacyOrder, type ResourceId, sortString } from './resource-id.ts'
import type { ResourceMap } from './resource-map.ts'

/** Sorts the output: by the kustomization's own option first, then the caller's. */
export const sortResources = (
  map: ResourceMap,
  options: SortOptions | undefined,
  { reorder }: Pick<BuildContext, 'reorder'>,
): void => {
  const order = options ? options.order : reorder === 'legacy' ? 'legacy' : 'fifo'
  if (order !== 'fifo' && order !== 'legacy')
    throw new KustomizeError("the field 'sortOptions.order' must be one of [fifo, legacy]", {
      field: 'sortOptions.order',
    })
  if (order === 'fifo') {
    if (options?.legacySortOptions)
      throw new KustomizeError(
        "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
        { field: 'sortOptions.legacySortOptions' },
      )
    return
  }
  map.list = legacySorted(map.list, options?.legacySortOptions)
}

const legacySorted = (list: readonly Resource[], options: SortOptions['legacySortOptions']): Resource[] => {
  const first = options ? (options.orderFirst ?? []) : legacyOrder.first
  const last = options ? (options.orderLast ?? []) : legacyOrder.last
  const ranks = new Map<string, number>()
  first.forEach((kind, i) => {
    ranks.set(kind, i - first.length)
  })
  last.forEach((kind, i) => {
    ranks.set(kind, i + 1)
  })
  return list
    .map(resource => ({ resource, id: resource.currentId() }))
    .sort((a, b) => compareIds(a.id, b.id, ranks))
    .map(({ resource }) => resource)
}

const compareIds = (a: ResourceId, b: ResourceId, ranks: ReadonlyMap<string, number>): number => {
  if (gvkEquals(a, b)) return compareText(idText(a), idText(b))
  const rank = (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0)
  if (rank !== 0) return rank
  const order = compareText(sortString(a), sortString(b))
  const coreNamespace = a.kind === 'Namespace' && b.kind === 'Namespace' && (a.group === '' || b.group === '')
  return coreNamespace ? -order : order
}

const idText = ({ namespace, name }: ResourceId): string => `${namespace || '~X'}|${name}`
