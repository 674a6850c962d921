/** Approvals of a stage of a RolloutRun. Pure. */
import type { Approval } from '../kinds/approval.ts'
import { gatesOfStage, type RolloutRun, rolloutRun } from '../kinds/rollout-run.ts'
import { type ApprovalState, approvalState } from './approvals.ts'
import { sha256Digest } from './sha256.ts'

/** What is approved: exactly the artifacts and inputs of the run. */
export const digestOfRun = ({ spec }: RolloutRun): string =>
  sha256Digest(
    [...spec.sources.map(({ artifact }) => artifact), ...(spec.inputs ?? [])].map(({ digest }) => digest).join('\n'),
  )

interface StageNeeds {
  readonly stage: string
  /** Of a gate of each cluster. */
  readonly cluster?: string
  /** Number of users who must approve. */
  readonly count: number
  /** Decisions of before this time do not count, in milliseconds since the epoch. */
  readonly since: number
  /** What must be approved: the artifacts of the run, or the plans of the stage. */
  readonly digest: string
}

/**
 * The digests that approvals of a stage name while it waits: of its plans, of the artifacts, or of both. Empty if no gate needs any; undefined while the
 * plans are not made.
 */
export const digestsToApprove = (run: RolloutRun, stage: string): readonly string[] | undefined => {
  const at = run.spec.stages.findIndex(({ name }) => name === stage)
  const { before = [], after = [] } = gatesOfStage(run, at)
  const isDone = (run.status?.stage ?? 0) > at || (run.status?.stage === at && run.status.step === 'After')
  const subjects = new Set(
    [...(isDone ? [] : before), ...after].flatMap(({ approval }) => (approval ? (approval.of ?? 'Artifacts') : [])),
  )
  const plans = subjects.has('Plans')
    ? run.status?.stages?.find(({ name }) => name === stage)?.plans?.digest
    : undefined
  if (subjects.has('Plans') && plans === undefined) return undefined
  return [...(plans === undefined ? [] : [plans]), ...(subjects.has('Artifacts') ? [digestOfRun(run)] : [])]
}

/** The same of one cluster of the stage: empty if no gate of each cluster needs an approval. */
export const digestsOfCluster = (run: RolloutRun, stage: string): readonly string[] => {
  const at = run.spec.stages.findIndex(({ name }) => name === stage)
  const { before = [], after = [] } = gatesOfStage(run, at).eachCluster ?? {}
  return [...before, ...after].some(({ approval }) => approval) ? [digestOfRun(run)] : []
}

/** Whether a stage, or a cluster of it, is approved. Who wrote the revision is not known of a run: any user with the right counts. */
export const stageApproval = (
  approvals: readonly Approval[],
  run: RolloutRun,
  { stage, cluster, count, since, digest }: StageNeeds,
  now: number,
): ApprovalState =>
  approvalState(
    approvals.filter(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') >= since),
    {
      subject: { kind: rolloutRun.kind as 'RolloutRun', name: run.metadata.name, stage, ...(cluster && { cluster }) },
      digest,
      count,
      authorMayApprove: true,
    },
    now,
  )
