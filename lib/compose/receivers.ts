import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { receiverReconciler } from '../reconcile/receiver/receiver.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { pathSalts } from '../signals/webhook/path-salts.ts'
import { receiverSecrets } from '../signals/webhook/receiver-secrets.ts'
import type { ComposedHub } from './hub.ts'
import type { Ports } from './platform.ts'

/** The reconciler that gives Receivers their paths. */
export const composeReceivers = (
  { objects, random, keys }: Pick<Ports, 'objects' | 'random' | 'keys'>,
  { hub }: Pick<ComposedHub, 'hub'>,
): readonly Reconciler<KubernetesObject>[] => [
  receiverReconciler({
    references: createReferences(hub),
    pathSalts: pathSalts(objects, random),
    receiverSecrets: receiverSecrets({ objects, keys }),
  }),
]
