import type { Clusters } from '../clusters/client/clusters.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { clusterReconciler } from '../reconcile/cluster/cluster.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import type { ComposedHub } from './hub.ts'
import type { Ports } from './platform.ts'

/** The reconciler that probes Clusters. */
export const composeClusterProbes = (
  { clock }: Pick<Ports, 'clock'>,
  { hub }: Pick<ComposedHub, 'hub'>,
  clusters: Clusters,
): readonly Reconciler<KubernetesObject>[] => [
  clusterReconciler({ clock, clusters, hub, references: createReferences(hub) }),
]
