import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { receiverReconciler } from '../reconcile/receiver/receiver.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { pathSalts } from '../signals/webhook/path-salts.ts'
import type { ComposedHub } from './hub.ts'
import type { Ports } from './platform.ts'

/** What gives Receivers the paths that they listen at. */
export const composeReceivers = (
  { objects, random }: Pick<Ports, 'objects' | 'random'>,
  { hub }: Pick<ComposedHub, 'hub'>,
): readonly Reconciler<KubernetesObject>[] => [
  receiverReconciler({ references: createReferences(hub), pathSalts: pathSalts(objects, random) }),
]
