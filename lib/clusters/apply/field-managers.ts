import type { KubernetesObject, ManagedFieldsEntry } from '../../foundations/kinds/object.ts'

/** A manager whose fields are taken over, so that fields it set and the manifest lacks are removed (KS-286, KS-287). */
export interface Predecessor {
  readonly prefix: string
  readonly operation: ManagedFieldsEntry['operation']
}

const KUBECTL: readonly Predecessor[] = [
  { prefix: 'kubectl', operation: 'Apply' },
  { prefix: 'kubectl', operation: 'Update' },
  { prefix: 'before-first-apply', operation: 'Update' },
]

const LEFTOVER_ANNOTATIONS = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kustomize.toolkit.fluxcd.io/checksum',
  'fluxcd.io/sync-checksum',
]
const LEFTOVER_LABELS = ['fluxcd.io/sync-gc-mark']

/**
 * The JSON patch that makes `fieldManager` the applier of what kubectl (and the managers named) had set on a live
 * object, and removes their annotations; undefined when there is nothing to take over. It only holds for the version
 * of the object that it was made from: for any other the API server responds with a conflict.
 */
export const takeoverPatch = (
  live: KubernetesObject,
  fieldManager: string,
  overriddenManagers: readonly string[] = [],
): readonly unknown[] | undefined => {
  const predecessors = [...KUBECTL, { prefix: fieldManager, operation: 'Update' as const }].concat(
    overriddenManagers.flatMap(prefix => [
      { prefix, operation: 'Apply' as const },
      { prefix, operation: 'Update' as const },
    ]),
  )
  const { annotations = {}, labels = {}, managedFields = [], resourceVersion } = live.metadata
  const managers = takenOver(managedFields, fieldManager, predecessors)
  const operations = [
    ...LEFTOVER_ANNOTATIONS.filter(key => key in annotations).map(key => removal('annotations', key)),
    ...LEFTOVER_LABELS.filter(key => key in labels).map(key => removal('labels', key)),
    ...(managers ? [{ op: 'replace', path: '/metadata/managedFields', value: managers }] : []),
  ]
  if (operations.length === 0) return undefined
  return [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }, ...operations]
}

/**
 * The JSON patch that makes `fieldManager` the applier of what the predecessors had set, and changes nothing else; undefined when there
 * is nothing to take over. It only holds for the version of the object that it was made from.
 */
export const managersPatch = (
  live: KubernetesObject,
  fieldManager: string,
  predecessors: readonly Predecessor[],
): readonly unknown[] | undefined => {
  const { managedFields = [], resourceVersion } = live.metadata
  const managers = takenOver(managedFields, fieldManager, predecessors)
  if (!managers) return undefined
  return [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/metadata/managedFields', value: managers },
  ]
}

const removal = (map: string, key: string) => ({ op: 'remove', path: `/metadata/${map}/${key.replaceAll('/', '~1')}` })

const takenOver = (
  entries: readonly ManagedFieldsEntry[],
  fieldManager: string,
  predecessors: readonly Predecessor[],
): readonly ManagedFieldsEntry[] | undefined => {
  const isOurs = ({ manager, operation, subresource }: ManagedFieldsEntry) =>
    manager === fieldManager && operation === 'Apply' && !subresource
  const isTaken = (entry: ManagedFieldsEntry) =>
    !isOurs(entry) &&
    !entry.subresource &&
    predecessors.some(
      ({ prefix, operation }) => entry.operation === operation && (entry.manager ?? '').startsWith(prefix),
    )

  const taken = entries.filter(isTaken)
  const [first] = taken
  if (!first) return undefined
  const ours = entries.find(isOurs) ?? { ...first, manager: fieldManager, operation: 'Apply' as const }
  const fieldsV1 = taken.reduce((fields, entry) => union(fields, entry.fieldsV1), ours.fieldsV1)
  return [...entries.filter(entry => !isOurs(entry) && !isTaken(entry)), { ...ours, fieldsV1 }]
}

type Fields = Readonly<Record<string, unknown>>

/** Of two FieldsV1 sets. */
const union = (a: Fields, b: Fields): Fields => {
  const merged = new Map(Object.entries(a))
  for (const [member, fields] of Object.entries(b))
    merged.set(member, merged.has(member) ? union(merged.get(member) as Fields, fields as Fields) : fields)
  return Object.fromEntries(merged)
}
