/** Approvals of a stage of a RolloutRun. Pure. */
import type { Approval } from '../kinds/approval.ts'
import { artifactsOf, type RolloutRun, rolloutRun } from '../kinds/rollout-run.ts'
import { type ApprovalState, approvalState } from './approvals.ts'
import { sha256Digest } from './sha256.ts'

/** What is approved: exactly the artifacts of the run. */
export const digestOfRun = (run: RolloutRun): string => sha256Digest(artifactsOf(run))

interface StageNeeds {
  readonly stage: string
  /** Number of users who must approve. */
  readonly count: number
  /** Decisions of before this time do not count, in milliseconds since the epoch. */
  readonly since: number
}

/** Whether a stage is approved. Who wrote the revision is not known of a run: any user with the right counts. */
export const stageApproval = (
  approvals: readonly Approval[],
  run: RolloutRun,
  { stage, count, since }: StageNeeds,
  now: number,
): ApprovalState =>
  approvalState(
    approvals.filter(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '') >= since),
    {
      subject: { kind: rolloutRun.kind as 'RolloutRun', name: run.metadata.name, stage },
      digest: digestOfRun(run),
      count,
      authorMayApprove: true,
    },
    now,
  )
