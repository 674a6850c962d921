import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { isFromWrongClock } from '../../foundations/rules/schedule.ts'
import type { UnfinishedRuns } from '../runtime/unfinished-runs.ts'
import type { ResourceSetRun } from './run.ts'

/** A wait for healthy objects that an earlier pass started and later ones continue. */
export interface OngoingWait {
  /** Digest of what is being applied. */
  readonly digest: string
  /** Name of the step whose objects must become healthy; '' without steps. */
  readonly step: string
  /** When the wait began, in milliseconds since the epoch. */
  readonly since: number
  /** When the run with this wait began. */
  readonly startedAt: number
  /** Generation of the ResourceSet that the run began with. */
  readonly generation: number
}

/** The wait of a run for the objects of a step. */
export const waitOf = ({ applier, digest, startedAt }: ResourceSetRun, step: string, since: number): OngoingWait => ({
  digest,
  step,
  since,
  startedAt,
  generation: applier.metadata.generation!,
})

/** The wait that the last pass did not finish. A record from before Ready became Unknown belongs to a run that has ended. */
export const ongoingWait = async (
  set: ResourceSet,
  runs: UnfinishedRuns<OngoingWait>,
  now: number,
): Promise<OngoingWait | undefined> => {
  const ready = conditionOf(set.status?.conditions, 'Ready')
  if (ready?.status !== 'Unknown') return undefined
  const wait = await runs.find(set)
  if (!wait || isFromWrongClock(wait.since, now)) return undefined
  return wait.since < Date.parse(ready.lastTransitionTime) ? undefined : wait
}

/** Whether the wait is for the objects of an earlier spec. */
export const isOutdated = ({ generation }: OngoingWait, { metadata }: ResourceSet): boolean =>
  generation !== metadata.generation
