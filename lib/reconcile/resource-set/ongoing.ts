import type { Snapshot } from '../../foundations/kinds/applied.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { conditionOf, timestamp } from '../../foundations/rules/conditions.ts'
import type { Run } from './run.ts'
import { finishedHistory, historyAfter, unfinished } from './run.ts'

/** A wait for healthy objects that an earlier pass began and left to later ones. The status is all that is remembered of it. */
export interface Ongoing {
  /** Digest of what is being applied. */
  readonly digest: string
  /** Name of the step whose objects are waited for; '' without steps. */
  readonly step: string
  /** When the wait began, in milliseconds since the epoch. */
  readonly since: number
  /** When the run began that it belongs to. */
  readonly startedAt: number
}

const latest = ({ status }: ResourceSet): Snapshot | undefined =>
  status?.history?.find(({ lastReconciledStatus }) => lastReconciledStatus === unfinished)

/** The wait that the last pass left, if the spec is still the same. */
export const ongoingOf = (set: ResourceSet): Ongoing | undefined => {
  const snapshot = latest(set)
  if (!snapshot || !isForThisGeneration(set)) return undefined
  return {
    digest: snapshot.digest,
    step: snapshot.metadata?.step ?? '',
    since: Date.parse(snapshot.lastReconciled),
    startedAt: Date.parse(snapshot.firstReconciled),
  }
}

/** Whether an earlier spec's objects are being waited for. */
export const isWaitOutdated = (set: ResourceSet): boolean => latest(set) !== undefined && !isForThisGeneration(set)

const isForThisGeneration = ({ metadata, status }: ResourceSet): boolean =>
  conditionOf(status?.conditions, 'Ready')?.observedGeneration === metadata.generation

/** The history with a wait that began then, for later passes to go on with. */
export const historyWhileWaiting = (run: Run, step: string, since: number): readonly Snapshot[] => {
  const [entry] = historyAfter(run, unfinished, step ? { step } : {})
  const waiting: Snapshot = {
    ...entry!,
    firstReconciled: timestamp(run.startedAt),
    lastReconciled: timestamp(Math.ceil(since / 1_000) * 1_000),
    lastReconciledDuration: formatDuration(since - run.startedAt),
  }
  return [waiting, ...finishedHistory(run.applier)]
}
