import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Message } from '../../platform/ports/queue.ts'
import type { Addressed } from './reconciler.ts'

/** Says where the messages for an object go: the queue of its kind's stage, in the fairness group of its target cluster. */
export interface Addressing {
  /** Undefined for an object of a kind without a reconciler. */
  messageFor(object: KubernetesObject): Message | undefined
  /** The same for an object that is known by its ref only: it is read when its group has to be known, and isn't yet. */
  messageTo(ref: ObjectRef, group?: string): Promise<Message | undefined>
  /** Whether the kind is reconciled at all. */
  has(kind: { readonly group: string; readonly kind: string }): boolean
  /** The group that an object is visited with when its interval has passed; undefined for one that is not. See visits.ts. */
  visitOf(object: KubernetesObject): string | undefined
  /** The same for one that is known by its ref, and perhaps the group of its messages. */
  visitTo(ref: ObjectRef, group?: string): Promise<string | undefined>
  /** What the hub's index of due times is to know of an object beside its ref. */
  groupOf(object: KubernetesObject): string | undefined
}

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
      // Who was asked has a message on its way: should it be the first, a pass of its own finds nothing left to do.
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

export const kindKey = ({ group, kind }: { readonly group: string; readonly kind: string }): string =>
  `${group}/${kind}`
