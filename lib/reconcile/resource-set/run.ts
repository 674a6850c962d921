import { outageOf } from '../../clusters/apply/apply-error.ts'
import type { Disclosure } from '../../clusters/apply/field-diff.ts'
import { type Masking, masking, secretValues } from '../../clusters/client/mask-secret.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { Snapshot } from '../../foundations/kinds/applied.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { clusterUnreachable } from '../../foundations/rules/outage.ts'
import { orHalt } from '../applied-objects/failure.ts'
import { type ApplierRun, withRun } from '../applied-objects/run.ts'
import type { Halt } from '../runtime/halt.ts'
import type { Failed, Pass } from '../runtime/reconciler.ts'
import { failure } from './failure.ts'

/** The objects to apply and their target, known once everything is rendered. */
export interface ResourceSetRun extends ApplierRun<ResourceSet> {
  readonly steps: readonly RenderedStep[]
  /** The number of input sets that they were rendered with. */
  readonly inputs: number
}

/** Which values of the objects may be shown: none that a Secret among them contains. */
export const secretsOf = (run: Pick<ResourceSetRun, 'steps'>): Disclosure & Masking => ({
  isHidden: () => false,
  ...masking(() => secretValues(objectsOf(run))),
})

/** The rendered objects, in the order in which they are applied. */
export const objectsOf = ({ steps }: Pick<ResourceSetRun, 'steps'>): readonly KubernetesObject[] =>
  steps.flatMap(({ objects }) => objects)

/** Progress that a real pass only writes if it lasts: not a change that makes a dry run fail. */
export const fleeting = ({ dryRun }: Pick<Pass<ResourceSet>, 'dryRun'>) => ({
  fleeting: true,
  routine: dryRun !== undefined,
})

/** The runs that have ended, the newest first. */
export const historyOf = ({ status }: ResourceSet): readonly Snapshot[] => status?.history ?? []

/** The history once a run has ended with this reason of Ready. */
export const historyAfter = (run: ResourceSetRun, status: string): readonly Snapshot[] => {
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
  run: ResourceSetRun,
  message: string,
  { status, reason: because, ...more }: Omit<Partial<Failed<ResourceSet>>, 'type' | 'message'> = {},
): Halt<ResourceSet> => {
  const reason = because ?? (outageOf(more.cause) ? clusterUnreachable : 'ReconciliationFailed')
  return failure(reason, `reconciliation failed: ${message}`, {
    afterMs: retryDelay(run),
    ...more,
    status: { ...status, history: historyAfter(run, reason) },
  })
}

const minRetryMs = 5_000
const maxRetryMs = 15 * 60_000

/** The time for which it has been failing, so that delays double (RS-125). */
const retryDelay = ({ applier: { metadata, status }, clock }: ResourceSetRun): number => {
  const ready = conditionOf(status?.conditions, 'Ready')
  const isFailing = ready?.status === 'False' && ready.observedGeneration === metadata.generation
  const failingFor = isFailing ? clock.now() - Date.parse(ready.lastTransitionTime) : 0
  return Math.min(Math.max(failingFor, minRetryMs), maxRetryMs)
}

/** Runs a part of the run's work; if it fails, so does the run. */
export const orRunFailure = <R>(run: ResourceSetRun, work: () => R | Promise<R>): Promise<R> =>
  orHalt(run.pass.signal, work, error => runFailure(run, errorMessage(error), { cause: error }))
