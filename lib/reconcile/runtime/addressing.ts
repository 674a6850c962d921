import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Message } from '../../platform/ports/queue.ts'
import type { Addressed } from './reconciler.ts'

/** Routes the messages for an object: to the queue of its kind's stage, in the fairness group of its target cluster. */
export interface Addressing {
  /** Undefined when no reconciler handles the object's kind. */
  messageFor(object: KubernetesObject): Message | undefined
  /** The same for a ref. Reads the object only if its group is needed and not known yet. */
  messageTo(ref: ObjectRef, group?: string): Promise<Message | undefined>
  /** Whether any reconciler handles the kind. */
  has(kind: { readonly group: string; readonly kind: string }): boolean
  /** The group in which an object is visited once its interval has passed; undefined if it is never visited. See visits.ts. */
  visitOf(object: KubernetesObject): string | undefined
  /** The same for a ref, and the group of its messages if that is known. */
  visitTo(ref: ObjectRef, group?: string): Promise<string | undefined>
  /** What the hub's index of due times stores for an object besides its ref. */
  groupOf(object: KubernetesObject): string | undefined
}

/** The routes of these reconcilers; kinds without one have none. */
export const createAddressing = (hub: Pick<Hub, 'get'>, reconcilers: readonly Addressed[]): Addressing => {
  const byKind = new Map(reconcilers.map(reconciler => [kindKey(reconciler.kind), reconciler]))
  const grouped = ({ stage, groupOf }: Addressed, ref: ObjectRef, object?: KubernetesObject) => {
    const group = object && groupOf?.(object)
    return { stage, ref, ...(group !== undefined && { group }) }
  }
  const visitOf = (object: KubernetesObject): string | undefined => {
    const reconciler = byKind.get(kindKey(refOf(object)))
    return reconciler?.isVisited ? (reconciler.visitOf ?? reconciler.groupOf)?.(object) : undefined
  }
  return {
    messageFor: object => {
      const ref = refOf(object)
      const reconciler = byKind.get(kindKey(ref))
      return reconciler && grouped(reconciler, ref, object)
    },
    has: kind => byKind.has(kindKey(kind)),
    visitOf,
    visitTo: async (ref, group) => {
      const reconciler = byKind.get(kindKey(ref))
      if (!reconciler?.isVisited) return undefined
      if (group !== undefined && !reconciler.visitOf) return group
      const object = await hub.get<KubernetesObject>(ref)
      // A requested object already has a message on its way: if the visit gets there first, that pass finds nothing to do.
      return object && !isReconcileRequested(object) ? visitOf(object) : undefined
    },
    groupOf: object => byKind.get(kindKey(refOf(object)))?.groupOf?.(object),
    messageTo: async (ref, group) => {
      const reconciler = byKind.get(kindKey(ref))
      if (!reconciler) return undefined
      if (group !== undefined) return { stage: reconciler.stage, ref, group }
      return grouped(reconciler, ref, reconciler.groupOf && (await hub.get<KubernetesObject>(ref)))
    },
  }
}

/** The key of a kind in maps; versions share it. */
export const kindKey = ({ group, kind }: { readonly group: string; readonly kind: string }): string =>
  `${group}/${kind}`
