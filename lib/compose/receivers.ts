import type { KubernetesObject } from '../kinds/object.ts'
import { receiverReconciler } from '../reconcile/receiver/receiver.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import type { Reconcilers } from './appliers.ts'
import type { ComposedHub } from './hub.ts'

/** What gives Receivers the paths that they listen at. */
export const composeReceivers = ({ hub }: Pick<ComposedHub, 'hub'>): Reconcilers => ({
  reconcilers: [receiverReconciler({ hub })] as unknown as readonly Reconciler<KubernetesObject>[],
  close: async () => {},
})
