import { isReconcileRequested, isSuspended } from '../../foundations/kinds/flux.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { finalizerOf, hasFinalizer } from './finalizer.ts'
import type { Note } from './pass-notes.ts'
import type { NewEvent, Pass, Reconciler, SharedReads } from './reconciler.ts'
import { withoutGeneration } from './status-writer.ts'
import type { ReconciledStatus } from './transitions.ts'
import * as to from './transitions.ts'

/**
 * A dry run is a pass that may not write: it needs no lease and leaves no trace. It stops at the first write it would make; then the object
 * needs a real pass.
 */
export class WouldWrite extends Error {
  constructor(what: string) {
    super(`a dry run writes nothing: ${what}`)
    this.name = 'WouldWrite'
  }
}

interface DryRunOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note?: (note: Note) => void
}

/** Whether a pass over an object would change nothing. Errors are not reported here: the pass that follows reports them. */
export const isUnchanged = async (
  reconciler: Reconciler<KubernetesObject>,
  object: KubernetesObject,
  shared: SharedReads,
  { clock, signal, note = () => {} }: DryRunOptions,
): Promise<boolean> => {
  if (!isAtRest(reconciler, object)) return false
  const events: NewEvent[] = []
  const pass: Pass<KubernetesObject> = {
    signal,
    startedAt: clock.now(),
    dryRun: shared,
    confine: async cluster => cluster,
    open: async () => {},
    progress: async (message, change) => {
      if (!change?.routine) throw new WouldWrite(message)
    },
    update: async (_, { fleeting = false } = {}) => {
      if (!fleeting) throw new WouldWrite('a change of the status')
    },
    event: event => events.push(event),
    note,
  }
  const outcome = await reconciler.reconcile(object, pass).catch(() => undefined)
  // An object that is held indefinitely stays with its visit; one that is held until some time gets its own due time.
  if (outcome?.type === 'held')
    return (
      outcome.afterMs === undefined &&
      events.length === 0 &&
      isSameJson(
        to.changed(outcome)(statusOf(object), { now: clock.now(), generation: object.metadata.generation }),
        statusOf(object),
      )
    )
  if (outcome?.type !== 'done' || outcome.triggersDependents || outcome.afterMs !== undefined || events.length > 0)
    return false
  const status = statusOf(object)
  const after = to.inOrder(to.changed(outcome), to.succeeded(outcome.reason, outcome.message))
  const left = after(status, { now: clock.now(), generation: object.metadata.generation })
  return isSameJson(reconciler.observesGeneration === false ? withoutGeneration(left) : left, status)
}

/** The last pass succeeded, and nobody has requested another. */
const isAtRest = (reconciler: Reconciler<KubernetesObject>, object: KubernetesObject): boolean => {
  const { generation, deletionTimestamp } = object.metadata
  const { conditions, observedGeneration } = statusOf(object)
  const ready = conditionOf(conditions, 'Ready')
  const observed = reconciler.observesGeneration === false ? ready?.observedGeneration : observedGeneration
  return (
    deletionTimestamp === undefined &&
    !isSuspended(object) &&
    !reconciler.leavesAlone?.(object) &&
    hasFinalizer(object, finalizerOf(reconciler)) &&
    observed === generation &&
    !isReconcileRequested(object) &&
    ready?.status === 'True' &&
    conditionOf(conditions, 'Reconciling') === undefined
  )
}

const statusOf = (object: KubernetesObject): ReconciledStatus => (object.status ?? {}) as ReconciledStatus
