import { formatDuration } from '../../../foundations/kinds/duration.ts'
import { requestedAtOf } from '../../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { timeoutOf } from '../../../foundations/kinds/kustomization.ts'
import { undoTextOf } from '../../../foundations/kinds/undo.ts'
import { conditionOf, timestamp } from '../../../foundations/rules/conditions.ts'
import { isFromWrongClock } from '../../../foundations/rules/schedule.ts'
import type { UnfinishedRuns } from '../../runtime/unfinished-runs.ts'
import { type SpecOfGeneration, specOfGeneration } from '../approved-spec.ts'
import type { Revision } from '../events.ts'
import type { KustomizationRun } from '../run.ts'

/** A health check that an earlier pass started and later ones continue. */
export interface OngoingCheck {
  readonly revision: Revision
  /** Digest of what was applied. */
  readonly digest: string
  /** When the check began, in milliseconds since the epoch. */
  readonly since: number
  /** When the run with this check began. */
  readonly startedAt: number
  /** What started the run: the generation of the Kustomization, and its reconcile request. */
  readonly generation: number
  readonly request?: string
  /** The spec of what is checked, if that was approved before a change that waits. */
  readonly approved?: SpecOfGeneration
  /** The undo of the run, as its annotation says. */
  readonly undo?: string
  /** Whether success is reported with an event. */
  readonly isNews: boolean
  /** Some deletions are postponed: the next pass follows at once when the check ends. */
  readonly deletionsWait?: boolean
  /** Those of the build, sealed: what a later pass says of its objects may quote them. */
  readonly secrets?: string | undefined
}

/** Progress message of a health check. */
export const checkingMessage = (revision: string, kustomization: Kustomization): string =>
  `${checking} ${revision} with a timeout of ${formatDuration(timeoutOf(kustomization))}`

const checking = 'Running health checks for revision'
/** Progress message of an apply, without its revision. */
export const applying = 'Detecting drift'

/** Whether the last pass started to apply this revision of the source, for this spec, and did not finish. */
export const isApplying = ({ metadata, status }: Kustomization, { revision }: Revision): boolean => {
  const reconciling = conditionOf(status?.conditions, 'Reconciling')
  return (
    reconciling?.reason === 'Progressing' &&
    reconciling.observedGeneration === metadata.generation &&
    [`${applying} for revision`, checking].some(what => reconciling.message.startsWith(`${what} ${revision} `))
  )
}

/** The check of a run. */
export const checkOf = (
  { applier: kustomization, revision, digest, startedAt, inPlaceOf }: KustomizationRun,
  found: Pick<OngoingCheck, 'since' | 'isNews' | 'deletionsWait' | 'secrets'>,
): OngoingCheck => {
  const request = requestedAtOf(kustomization)
  const generation = inPlaceOf ?? kustomization.metadata.generation!
  const undo = undoTextOf(kustomization)
  return {
    ...{ ...found, revision, digest, startedAt, generation },
    ...(inPlaceOf !== undefined && { approved: specOfGeneration(kustomization) }),
    ...(request !== undefined && { request }),
    ...(undo !== undefined && { undo }),
  }
}

/** The check that the last pass did not finish. One that starts in the future starts over: the clock was wrong. */
export const ongoingCheck = async (
  kustomization: Kustomization,
  runs: UnfinishedRuns<OngoingCheck>,
  now: number,
): Promise<OngoingCheck | undefined> => {
  const { conditions } = kustomization.status ?? {}
  const healthy = conditionOf(conditions, 'Healthy')
  const reconciling = conditionOf(conditions, 'Reconciling')
  if (healthy?.status !== 'Unknown' || reconciling?.reason !== 'Progressing') return undefined
  if (!reconciling.message.startsWith(checking)) return undefined
  const check = await runs.find(kustomization)
  const isTheOne =
    check !== undefined &&
    !isFromWrongClock(check.since, now) &&
    healthy.lastTransitionTime === timestamp(check.since) &&
    reconciling.message.startsWith(`${checking} ${check.revision.revision} `)
  return isTheOne ? check : undefined
}
