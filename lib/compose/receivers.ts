import type { KubernetesObject } from '../kinds/object.ts'
import { receiverReconciler } from '../reconcile/receiver/receiver.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import type { ComposedHub } from './hub.ts'

/** What gives Receivers the paths that they listen at. */
export const composeReceivers = ({ hub }: Pick<ComposedHub, 'hub'>): readonly Reconciler<KubernetesObject>[] => [
  receiverReconciler({ hub }),
]
