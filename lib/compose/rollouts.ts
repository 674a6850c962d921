import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { createReferences } from '../hub/references/references.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { approvePlansIn } from '../reconcile/approvals/plan-book.ts'
import { approvalsIn } from '../reconcile/rollout/observe.ts'
import { pacedGate, queryGate } from '../reconcile/rollout/query-gate.ts'
import { defaultRolloutSettings, rolloutReconciler } from '../reconcile/rollout/rollout.ts'
import type { Reconciler } from '../reconcile/runtime/reconciler.ts'
import { refetchThrough } from '../reconcile/source-artifact/read-artifact.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** The reconciler of Rollouts. */
export const composeRollouts = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): readonly Reconciler<KubernetesObject>[] => {
  const references = createReferences(hub)
  return [
    rolloutReconciler(
      {
        ...ports,
        hub,
        references,
        refetch: refetchThrough({ ...ports, references }),
        gates: {
          query: pacedGate(queryGate(guardedFetch(ports.connections)), ports.clock),
          approvals: approvalsIn(hub),
          approvePlans: approvePlansIn(hub),
        },
      },
      { ...defaultRolloutSettings, ...settings },
    ),
  ]
}
