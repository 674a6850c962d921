/** How a pass changes the conditions of an object, step by step, as Flux's controllers do. */
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import type { NewCondition, Observation } from '../../foundations/rules/conditions.ts'
import { conditionOf, isConditionTrue, withCondition, withoutCondition } from '../../foundations/rules/conditions.ts'
import type { StatusUpdate } from './reconciler.ts'

/** The part of a status that every reconciled kind has. */
export interface ReconciledStatus {
  readonly conditions?: readonly Condition[]
  readonly observedGeneration?: number
  readonly lastHandledReconcileAt?: string
  readonly [field: string]: unknown
}

/** One step: computes the new status from the old one and what is observed now. */
export type Transition = (status: ReconciledStatus, observation: Observation) => ReconciledStatus

/** All steps, each on the result of the one before. */
export const inOrder =
  (...steps: readonly Transition[]): Transition =>
  (status, observation) =>
    steps.reduce((before, step) => step(before, observation), status)

const set =
  (type: string, condition: NewCondition): Transition =>
  (status, observation) => ({
    ...status,
    conditions: withCondition(status.conditions ?? [], type, condition, observation),
  })

const remove =
  (type: string): Transition =>
  status =>
    conditionOf(status.conditions, type)
      ? { ...status, conditions: withoutCondition(status.conditions ?? [], type) }
      : status

/** The generation was reconciled, with success or to an end that only a change of the spec helps. */
export const observed: Transition = (status, { generation }) =>
  generation === undefined ? status : { ...status, observedGeneration: generation }

const progressing = (message: string): NewCondition => ({ status: 'True', reason: 'Progressing', message })

/** A pass starts; Ready keeps the result of the last one until there is a new one. */
export const opened = (message: string): Transition =>
  inOrder(remove('Stalled'), set('Reconciling', progressing(message)), (status, observation) => {
    const ready = conditionOf(status.conditions, 'Ready')
    if (ready && ready.status !== 'Unknown') return status
    return set('Ready', { ...progressing(message), status: 'Unknown' })(status, observation)
  })

/**
 * A pass works on a new revision or spec: Ready is Unknown until it ends. `ready` is its message, if it differs from
 * that of Reconciling.
 */
export const progressed = (message: string, ready = message): Transition =>
  inOrder(
    remove('Stalled'),
    set('Reconciling', progressing(message)),
    set('Ready', { ...progressing(ready), status: 'Unknown' }),
  )

/** A pass has ended with Ready=True: no condition of kstatus stays. */
export const succeeded = (reason: string, message: string): Transition =>
  inOrder(remove('Reconciling'), remove('Stalled'), set('Ready', { status: 'True', reason, message }), observed)

/** A step that is about an earlier generation than the current one. */
export const asOf =
  (earlier: number | undefined, step: Transition): Transition =>
  (status, observation) =>
    step(status, earlier === undefined ? observation : { ...observation, generation: earlier })

/** `since`: when the failure started, if an earlier pass had it already. */
export const failed = (reason: string, message: string, since?: number, keepsReconciling = false): Transition =>
  inOrder(
    remove('Stalled'),
    keepsReconciling ? unchanged : retrying,
    set('Ready', { status: 'False', reason, message, since }),
  )

const unchanged: Transition = status => status

const retrying: Transition = (status, observation) => {
  const reconciling = conditionOf(status.conditions, 'Reconciling')
  if (!reconciling) return status
  return set('Reconciling', { ...reconciling, reason: 'ProgressingWithRetry' })(status, observation)
}

/**
 * Retries don't help: Stalled=True, and Ready=False, as in Flux. `isObserved`: the generation counts as observed;
 * `ready`: what Ready says, if it differs.
 */
export const stalled = (
  reason: string,
  message: string,
  isObserved: boolean,
  ready = { reason, message },
): Transition =>
  inOrder(
    remove('Reconciling'),
    set('Stalled', { status: 'True', reason, message }),
    set('Ready', { status: 'False', ...ready }),
    isObserved ? observed : status => status,
  )

/** A suspended object that is ready counts as observed, so that kubectl and flux don't wait for it; any one where its kind `alwaysObserves`. */
export const suspended =
  (alwaysObserves: boolean): Transition =>
  (status, observation) => {
    if (isConditionTrue(status.conditions, 'Ready'))
      return inOrder(remove('Reconciling'), observed)(status, observation)
    return alwaysObserves ? observed(status, observation) : status
  }

/**
 * Confirms a reconcile request, by which `flux reconcile` notices that the pass is over; undefined if there was none.
 */
export const requestHandled =
  (requestedAt: string | undefined): Transition =>
  status =>
    requestedAt === undefined ? status : { ...status, lastHandledReconcileAt: requestedAt }

/** Changes by the reconciler: null removes a field or condition. */
export const changed =
  <T extends KubernetesObject>({ status: fields, conditions }: StatusUpdate<T>): Transition =>
  (status, observation) => {
    const kept = Object.entries({ ...status, ...fields }).filter(([, value]) => value !== null)
    const steps = Object.entries(conditions ?? {}).map(([type, condition]) =>
      condition === null ? remove(type) : set(type, condition),
    )
    return inOrder(...steps)(Object.fromEntries(kept), observation)
  }
