import { outageOf } from '../../clusters/apply/apply-error.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { InventoryEntry, Snapshot } from '../../foundations/kinds/applied.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { clusterUnreachable } from '../../foundations/rules/cluster-binding.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { withAttempt } from '../../foundations/rules/history.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Halt } from '../runtime/halt.ts'
import type { Failed, Pass } from '../runtime/reconciler.ts'
import { failure, isMistake } from './failure.ts'

/** What is being applied, and where to: known once all is rendered. */
export interface Run {
  readonly set: ResourceSet
  readonly pass: Pass<ResourceSet>
  readonly clock: Clock
  readonly cluster: ClusterClient
  readonly steps: readonly RenderedStep[]
  /** Digest of all objects. */
  readonly digest: string
  /** How many sets of inputs they were rendered with. */
  readonly inputs: number
  /** Milliseconds since the epoch; before the pass when an earlier one began. */
  readonly startedAt: number
}

/** How Ready is described until a pass has ended. */
export const inProgress = 'Reconciliation in progress'

/** The status in the history of what is not finished: later passes go on with it. */
export const unfinished = 'Progressing'

export const inventoryOf = ({ status }: ResourceSet): readonly InventoryEntry[] => status?.inventory?.entries ?? []

/** The history without what was not finished. */
export const finishedHistory = ({ status }: ResourceSet): readonly Snapshot[] =>
  (status?.history ?? []).filter(entry => entry.lastReconciledStatus !== unfinished)

/** The history once a run has ended so; `more` facts go into its metadata. */
export const historyAfter = (run: Run, status: string, more: Readonly<Record<string, string>> = {}) => {
  const { set, clock, digest, inputs, steps, startedAt } = run
  const endedAt = clock.now()
  const metadata = {
    inputs: String(inputs),
    resources: String(steps.reduce((sum, { objects }) => sum + objects.length, 0)),
    ...(set.spec.steps && { steps: String(steps.length) }),
    ...more,
  }
  return withAttempt(finishedHistory(set), { digest, status, endedAt, durationMs: endedAt - startedAt, metadata })
}

/** Ends a run that has got as far as the cluster. */
export const runFailure = (
  run: Run,
  message: string,
  { status, ...more }: Omit<Failed<ResourceSet>, 'type' | 'reason' | 'message'> = {},
): Halt<ResourceSet> => {
  const reason = outageOf(more.cause) ? clusterUnreachable : 'ReconciliationFailed'
  return failure(reason, `reconciliation failed: ${message}`, {
    afterMs: retryDelay(run),
    ...more,
    status: { ...status, history: historyAfter(run, reason) },
  })
}

const shortestRetryMs = 5_000
const longestRetryMs = 15 * 60_000

/** As long again as it has been failing: so delays double (RS-125). */
const retryDelay = ({ set: { metadata, status }, clock }: Run): number => {
  const ready = conditionOf(status?.conditions, 'Ready')
  const isFailing = ready?.status === 'False' && ready.observedGeneration === metadata.generation
  const failingFor = isFailing ? clock.now() - Date.parse(ready.lastTransitionTime) : 0
  return Math.min(Math.max(failingFor, shortestRetryMs), longestRetryMs)
}

/** Does a part of the run's work; when it fails, so does the run. */
export const orRunFailure = async <R>(run: Run, work: () => R | Promise<R>): Promise<R> => {
  try {
    return await work()
  } catch (error) {
    run.pass.signal.throwIfAborted()
    if (isMistake(error)) throw error
    throw runFailure(run, errorMessage(error), { cause: error })
  }
}
