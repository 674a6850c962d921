import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'

/** On Namespaces that the hub has created for a target: whether they contain anything. Namespaces without it are never deleted. */
export const madeForTarget = 'keelson.dev/made-for-target'
/** The value of that label: a Namespace that stays `unused` is deleted. */
export type NamespaceUse = 'used' | 'unused'
/** When a sweep first found it unused. */
const unusedSince = 'keelson.dev/unused-since'

/** Longer than a pass may take. So a pass that read the Namespace before it was marked has created its first object by then. */
const graceMs = 20 * 60_000

/** Whether a Namespace was found empty: to create an object there, mark it as used first. */
export const isMarkedUnused = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[madeForTarget] === 'unused'

export interface EmptyNamespacesPorts {
  readonly hub: Pick<Hub, 'list' | 'patch' | 'delete'>
  readonly kinds: () => KindRegistry
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Deletes Namespaces that the hub created for a target and that have been empty for a while. In two steps, so that an object that a pass
 * creates in between is not deleted: the first marks the Namespace; a writer removes the mark, and the second fails.
 */
export const collectEmptyNamespaces = async ({ hub, kinds, clock }: EmptyNamespacesPorts): Promise<void> => {
  const { items } = await hub.list({
    group: '',
    kind: 'Namespace',
    labelSelector: `${madeForTarget} in (used, unused)`,
  })
  for (const namespace of items.filter(({ metadata }) => !metadata.deletionTimestamp)) {
    const { name, uid, resourceVersion, annotations } = namespace.metadata
    const ref = { ...refOf(namespace), group: '', kind: 'Namespace' }
    const isUnused = isMarkedUnused(namespace)
    const isEmpty = await hasOnlyEvents(hub, kinds(), name)
    const mark = (use: NamespaceUse, since: string | null) => {
      const metadata = { resourceVersion, labels: { [madeForTarget]: use }, annotations: { [unusedSince]: since } }
      return hub.patch(ref, { type: 'merge', patch: { metadata } }, { fieldManager: 'keelson-sweep' })
    }
    if (isEmpty && !isUnused) await mark('unused', new Date(clock.now()).toISOString())
    else if (!isEmpty && isUnused) await mark('used', null)
    else if (isEmpty && clock.now() - Date.parse(annotations?.[unusedSince] ?? '') >= graceMs)
      await hub.delete(ref, { uid, resourceVersion })
  }
}

/** Whether a namespace contains no objects except Events. */
const hasOnlyEvents = async (hub: Pick<Hub, 'list'>, { kinds }: KindRegistry, namespace: string): Promise<boolean> => {
  for (const { group, kind } of kinds.filter(({ namespaced, kind }) => namespaced && kind !== 'Event')) {
    const { items } = await hub.list({ group, kind, namespace, limit: 1 })
    if (items.length > 0) return false
  }
  return true
}
