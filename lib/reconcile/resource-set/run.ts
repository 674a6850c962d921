import { outageOf } from '../../clusters/apply/apply-error.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { Snapshot } from '../../foundations/kinds/applied.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { clusterUnreachable } from '../../foundations/rules/cluster-binding.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { orHalt } from '../applied-objects/failure.ts'
import { type ApplierRun, withRun } from '../applied-objects/run.ts'
import type { Halt } from '../runtime/halt.ts'
import type { Failed, Pass } from '../runtime/reconciler.ts'
import { failure } from './failure.ts'

/** What is applied, and where; known once everything is rendered. */
export interface Run extends ApplierRun<ResourceSet> {
  readonly steps: readonly RenderedStep[]
  /** How many sets of inputs they were rendered with. */
  readonly inputs: number
}

/** What a dry run notes of its progress is nothing to write, where a pass shows it only if it lasts. */
export const fleeting = ({ dryRun }: Pick<Pass<ResourceSet>, 'dryRun'>) => ({
  fleeting: true,
  routine: dryRun !== undefined,
})

/** The runs that have ended, the newest first. */
export const historyOf = ({ status }: ResourceSet): readonly Snapshot[] => status?.history ?? []

/** The history once a run has ended with this reason of Ready. */
export const historyAfter = (run: Run, status: string): readonly Snapshot[] => {
  const { applier: set, inputs, steps } = run
  const metadata = {
    inputs: String(inputs),
    resources: String(steps.reduce((sum, { objects }) => sum + objects.length, 0)),
    ...(set.spec.steps && { steps: String(steps.length) }),
  }
  return withRun(historyOf(set), run, status, metadata)
}

/** Ends a run that has reached the cluster. */
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

const minRetryMs = 5_000
const maxRetryMs = 15 * 60_000

/** As long as it has been failing, so that delays double (RS-125). */
const retryDelay = ({ applier: { metadata, status }, clock }: Run): number => {
  const ready = conditionOf(status?.conditions, 'Ready')
  const isFailing = ready?.status === 'False' && ready.observedGeneration === metadata.generation
  const failingFor = isFailing ? clock.now() - Date.parse(ready.lastTransitionTime) : 0
  return Math.min(Math.max(failingFor, minRetryMs), maxRetryMs)
}

/** Does a part of the run's work; if it fails, so does the run. */
export const orRunFailure = <R>(run: Run, work: () => R | Promise<R>): Promise<R> =>
  orHalt(run.pass.signal, work, error => runFailure(run, errorMessage(error), { cause: error }))
