import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { PlanOrder, PlanResult } from '../../hub/runners/plan-orders.ts'
import type { Session } from '../../hub/runners/session.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import { dryRunAlone } from '../runtime/dry-run-pass.ts'
import { isMistake } from '../runtime/halt.ts'
import type { Reconciler } from '../runtime/reconciler.ts'

interface OrderPorts {
  readonly session: Pick<Session, 'planned'>
  /** The runner's copy of a unit. */
  readonly unitAt: (ref: ObjectRef) => Promise<KubernetesObject | undefined>
  readonly reconcilers: readonly Reconciler<KubernetesObject>[]
  readonly isOwn: (object: KubernetesObject) => boolean
  readonly clock: Clock
  readonly log: Log
}

/** How long making one plan may take, in milliseconds. */
const timeoutMs = 60_000

/** Makes the plans that users of the hub want to see, one after another, and hands each over once. */
export const orderedPlans = ({ session, unitAt, reconcilers, isOwn, clock, log }: OrderPorts) => {
  const over = new AbortController()
  let begun: ReadonlySet<string> = new Set()
  let last: Promise<unknown> = Promise.resolve()

  const made = async ({ ref, uid }: PlanOrder): Promise<PlanResult> => {
    const unit = await unitAt(ref)
    if (!unit || unit.metadata.uid !== uid || !isOwn(unit)) return { failed: 'the runner does not have it any more' }
    const reconciler = reconcilers.find(({ kind }) => kind.group === ref.group && kind.kind === ref.kind)
    if (!reconciler?.preview) return { failed: `a ${ref.kind} is not planned by runners` }
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)])
    try {
      return { plan: await reconciler.preview(unit, dryRunAlone({ signal, startedAt: clock.now() })) }
    } catch (error) {
      if (isMistake(error)) log.error('a plan was not made', { error, object: refOf(unit) })
      return { failed: signal.aborted ? `it takes more than ${timeoutMs / 1000} seconds` : errorMessage(error) }
    }
  }
  const handOver = async (order: PlanOrder): Promise<void> => {
    const result = await made(order)
    if (!over.signal.aborted) await session.planned({ ref: order.ref, uid: order.uid, id: order.id, result })
  }

  return {
    /** Begins with those that it does not know. */
    take: (orders: readonly PlanOrder[]): void => {
      const fresh = orders.filter(({ id }) => !begun.has(id))
      begun = new Set(orders.map(({ id }) => id))
      for (const order of fresh)
        last = last
          .then(() => handOver(order))
          .catch(error => log.error('a plan could not be handed over', { error, object: order.ref }))
    },
    close: (): void => over.abort(),
  }
}
