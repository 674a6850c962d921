import { countsOf, listPlanned, planDigest } from '../../clusters/apply/describe-planned.ts'
import type { Disclosure } from '../../clusters/apply/field-diff.ts'
import type { PlannedChanges } from '../../clusters/apply/planned-changes.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import {
  firstPhaseOf,
  type Plan,
  type PlanSpec,
  type PreviewedPlan,
  plan as planKind,
  plannedCounts,
  unitUidLabel,
} from '../../foundations/kinds/plan.ts'
import { describeTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { runName } from '../../hub/runs/run-names.ts'
import { noApproval, type RequiredApproval } from '../windows/restraint.ts'
import { specDigest } from './signatures.ts'

/** A change of a unit that must be approved. */
export interface ChangeToApprove {
  readonly unit: KubernetesObject
  readonly cluster?: TargetReference | undefined
  readonly revision: string
  readonly author?: string | undefined
  /** Digest of the build. */
  readonly manifests: string
  readonly planned: PlannedChanges
  readonly disclosure: Disclosure
  readonly required: RequiredApproval
  /** Nothing may be stored. */
  readonly isDryRun: boolean
}

/** The digest of a change: equal for the same build of the same spec, which would change the same fields. An approval is of exactly that. */
export const digestOf = ({ unit, cluster, manifests, planned, disclosure, required }: ChangeToApprove): string => {
  const { uid = '', generation } = unit.metadata
  const spec = required.signatures ? [specDigest(unit)] : []
  const subject = [uid, String(generation), cluster ? describeTarget(cluster) : '', ...spec]
  return planDigest({ subject, manifests }, planned.changes, disclosure)
}

/** The Plan of a change with its digest, which is not stored yet. `now` is in milliseconds since the epoch. */
export const planOf = (change: ChangeToApprove, digest: string, now: number): Plan => {
  const { unit, cluster, revision, author, manifests, planned, disclosure, required } = change
  const { kind, namespace, name } = refOf(unit)
  const { apiVersion } = unit
  const { count, authorMayApprove, requiredBy, expiryMs, signatures } = required
  const counts = countsOf(planned)
  const owner = { apiVersion, kind, name, uid: unit.metadata.uid ?? '' }
  const spec: PlanSpec = {
    unit: { apiVersion, kind, name },
    ...(cluster && { cluster: { ...cluster } }),
    revision,
    ...(required.run !== undefined && { rolloutRun: required.run }),
    ...(author !== undefined && { author }),
    manifests,
    digest,
    counts,
    summary: plannedCounts(counts),
    ...(count > 0 && {
      approvals: { count, authorMayApprove, reason: requiredBy, ...(signatures && { signedFor: signatures.cluster }) },
      expiresAt: timestamp(now + expiryMs),
    }),
  }
  return {
    apiVersion: `${planKind.group}/${planKind.versions[0]!.name}`,
    kind: planKind.kind,
    metadata: {
      name: runName({ kind, name }, now),
      namespace,
      labels: { [unitUidLabel]: unit.metadata.uid ?? '' },
      ownerReferences: [owner],
    },
    spec,
    status: { phase: firstPhaseOf(spec) },
    ...listPlanned(planned.changes, disclosure, signatures !== undefined),
  } as Plan
}

/** The plan of a change that is not to be stored: `required` is what making the change would need. */
export const previewOf = (
  {
    required,
    ...change
  }: Omit<ChangeToApprove, 'required' | 'isDryRun'> & { readonly required?: RequiredApproval | undefined },
  now: number,
): Pick<PreviewedPlan, 'spec' | 'changes' | 'moreChanges'> => {
  const { planned } = change
  const removes = planned.changes.some(({ action }) => action === 'deleted' || action === 'recreated')
  const isNeeded = planned.changes.length > 0 && (required?.of === 'Changes' || removes)
  const wanted = { ...change, required: (isNeeded && required) || noApproval, isDryRun: true }
  const { spec, changes, moreChanges } = planOf(wanted, digestOf(wanted), now)
  const { expiresAt: _, ...lasting } = spec
  return { spec: lasting, ...(changes && { changes }), ...(moreChanges !== undefined && { moreChanges }) }
}
