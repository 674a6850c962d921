import { type ClusterClient, ClusterError } from '../clusters/client/client.ts'
import { changePolicy } from '../foundations/kinds/change-policy.ts'
import { type Cluster, cluster as clusterKind } from '../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { PlanSpec } from '../foundations/kinds/plan.ts'
import { isSameJson } from '../foundations/kinds/schema/same-json.ts'
import { namedTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import type { ReferredKind } from '../hub/references/references.ts'
import { type ChangeToJudge, judgeChanges, strictestApproval } from '../reconcile/policies/judge-changes.ts'
import { policiesOf } from '../reconcile/policies/policies-of.ts'
import { restraintOf } from '../reconcile/windows/restraint.ts'
import type { HubAccess } from './hub-access.ts'
import { lookupIn } from './local-build.ts'

/** What the hub would say about a change before it makes it. */
export interface LocalVerdict {
  /** Why policies deny it. */
  readonly denied?: string
  /** What users must approve. */
  readonly approvals?: PlanSpec['approvals']
  /** Why that is not known: the user may not read it. */
  readonly unjudged?: string
}

/** Judges a change by the policies and annotations of the hub, as far as the user may read them. A cluster with Flux alone has none. */
export const localVerdict = async (
  change: Omit<ChangeToJudge, 'restraint'>,
  { cluster: hub, signal }: Pick<HubAccess, 'cluster' | 'signal'>,
  target: Pick<ClusterClient, 'resourceFor'>,
): Promise<LocalVerdict> => {
  const { unit, planned } = change
  if (planned.changes.length === 0) return {}
  const lookup = lookupIn(hub, signal)
  const listOf = async <T extends KubernetesObject>({ group, kind }: ReferredKind, namespace?: string) =>
    (await lookup.list<T>({ group, kind, ...(namespace !== undefined && { namespace }) })).items
  const references = {
    ownNamespace: ({ metadata: { namespace = '' } }: Pick<KubernetesObject, 'metadata'>) =>
      lookup.get<KubernetesObject>({ group: '', kind: 'Namespace', namespace: '', name: namespace }),
    clustersWith: async (access: TargetReference) => {
      const clusters = await listOf<Cluster>(clusterKind, access.namespace)
      return clusters.filter(one => isSameJson(namedTarget(one), access))
    },
    localList: <T extends KubernetesObject>() => listOf<T>(changePolicy),
  }
  try {
    const restraint = await restraintOf(unit, references, Date.now())
    const policies = await policiesOf(unit, restraint, references)
    const verdict = await judgeChanges(policies, { ...change, restraint }, target)
    const { denied, approval } = verdict
    const required = strictestApproval(restraint.approval, approval)
    const isNeeded = required && (required.of === 'Changes' || planned.changes.some(removes))
    return {
      ...(denied !== undefined && { denied }),
      ...(isNeeded && {
        approvals: {
          count: required.count,
          authorMayApprove: required.authorMayApprove,
          reason: required.requiredBy,
        },
      }),
    }
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return error.code === 'noMatch' ? {} : { unjudged: error.message }
  }
}

const removes = ({ action }: ChangeToJudge['planned']['changes'][number]): boolean =>
  action === 'deleted' || action === 'recreated'
