import { countsOf, describePlanned, planDigest } from '../clusters/apply/describe-planned.ts'
import type { ClusterClient } from '../clusters/client/client.ts'
import { refOf } from '../foundations/kinds/object.ts'
import type { PreviewedPlan } from '../foundations/kinds/plan.ts'
import { describeTarget, type TargetReference } from '../foundations/kinds/target-reference.ts'
import type { ChangeToJudge } from '../reconcile/policies/judge-changes.ts'
import type { HubAccess } from './hub-access.ts'
import { type LocalVerdict, localVerdict } from './local-verdict.ts'

/** The content of a Plan that is not stored. */
export type LocalPlan = PreviewedPlan & Pick<LocalVerdict, 'unjudged'>

export interface PlannedUnit extends Omit<ChangeToJudge, 'restraint'> {
  /** The cluster, and how it is reached; no reference for the hub. */
  readonly cluster: Pick<ClusterClient, 'resourceFor'>
  readonly reference?: TargetReference | undefined
  /** Absent for local files. */
  readonly revision?: string | undefined
  /** Digest of the build. */
  readonly manifests: string
  /** Whether the unit has applied this build before: then nobody judges what it repairs. */
  readonly isRepair?: boolean
  readonly errors: readonly string[]
}

/** The plan of a unit, with what the hub would say about it. */
export const localPlan = async (found: PlannedUnit, hub: HubAccess): Promise<LocalPlan> => {
  const { unit, planned, disclosure, cluster, reference, revision, manifests, isRepair = false, errors } = found
  const { changes } = planned
  const { approvals, ...verdict } = isRepair ? {} : await localVerdict({ unit, planned, disclosure }, hub, cluster)
  const { kind, namespace, name } = refOf(unit)
  const subject = [kind, namespace, name, reference ? describeTarget(reference) : '']
  return {
    spec: {
      unit: { apiVersion: unit.apiVersion, kind, name },
      ...(reference && { cluster: { ...reference } }),
      ...(revision !== undefined && { revision }),
      manifests,
      digest: planDigest({ subject, manifests }, changes, disclosure),
      counts: countsOf(planned),
      ...(approvals && { approvals }),
    },
    changes: describePlanned(changes, disclosure),
    ...verdict,
    ...(errors.length > 0 && { errors }),
  }
}

/** For plans and previews: they never wait. */
export const instantClock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: () => Promise.reject(new Error('plans never wait')),
}
