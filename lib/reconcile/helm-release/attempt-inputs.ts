import { requestedAtOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease, HelmReleaseStatus } from '../../foundations/kinds/helm-release.ts'
import type { PlanApproval } from '../../foundations/kinds/plan.ts'
import type { Draft } from './draft.ts'
import { type Attempt, clearFailures } from './report.ts'

/** What an action is begun for. It is kept with the action, as the process may die before the status says it. */
export interface AttemptInputs {
  readonly generation: number
  readonly request?: string
  readonly chartVersion: string
  readonly ociDigest?: string
  readonly configDigest: string
  /** The contents to which an undo returns. */
  readonly undo?: string
  /** The plan that users have approved. */
  readonly plan?: PlanApproval
}

/**
 * The inputs of a regular action: the spec's generation, the reconcile request, the chart and the digest of the values.
 */
export const attemptInputsOf = (
  release: HelmRelease,
  { chartVersion, ociDigest, configDigest }: Attempt,
): AttemptInputs => {
  const request = requestedAtOf(release)
  return {
    generation: release.metadata.generation!,
    ...(request !== undefined && { request }),
    ...{ chartVersion, configDigest },
    ...(ociDigest && { ociDigest }),
  }
}

/** Undefined for what an older version has kept. */
export const readAttemptInputs = (text: string | undefined): AttemptInputs | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as AttemptInputs)

/** The contents to which an action returns that an undo has begun; undefined for others. */
export const contentsOfUndo = (state: { readonly inputs?: string } | undefined): string | undefined =>
  readAttemptInputs(state?.inputs)?.undo

/** The same for an action that users have approved. */
export const withPlan = (inputs: string | undefined, plan: PlanApproval): string | undefined => {
  const read = readAttemptInputs(inputs)
  return read && JSON.stringify({ ...read, plan } satisfies AttemptInputs)
}

/** Notes in the status what is tried now: failures of something else don't count any more (HR-053). */
export const noteAttempt = (draft: Draft, inputs: AttemptInputs): void => {
  if (isAnotherAttempt(draft.status, inputs)) clearFailures(draft)
  draft.set(attemptedFields(inputs))
}

/** The fields of the status that say what was tried last. */
const attemptedFields = ({ generation, chartVersion, ociDigest, configDigest }: AttemptInputs) => ({
  lastAttemptedGeneration: generation,
  lastAttemptedRevision: chartVersion,
  lastAttemptedRevisionDigest: ociDigest ?? null,
  lastAttemptedConfigDigest: configDigest,
  lastAttemptedValuesChecksum: null,
  lastReleaseRevision: null,
})

/** Whether the last attempt was for something else: then its failures do not count (HR-053). */
export const isAnotherAttempt = (
  status: HelmReleaseStatus,
  { generation, chartVersion, configDigest }: AttemptInputs,
): boolean =>
  status.lastAttemptedGeneration !== generation ||
  status.lastAttemptedRevision !== chartVersion ||
  (status.lastAttemptedConfigDigest !== undefined && status.lastAttemptedConfigDigest !== configDigest)
