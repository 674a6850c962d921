import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Order, OrderedWork, OrderResult, OrderType } from '../../hub/runners/orders.ts'
import type { Session } from '../../hub/runners/session.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Log } from '../../platform/ports/log.ts'
import { isMistake } from '../runtime/halt.ts'

/** Finds out what an order is for: the document that the user gets. Fails with the reason if that can't be found. */
export type PerformOrder<W extends OrderedWork> = (
  unit: KubernetesObject,
  work: W,
  signal: AbortSignal,
) => Promise<object>

/** What a runner does for users of its hub, by the type of the order; not there for what it does not do. */
export type OrderPerformers = {
  readonly [T in OrderType]?: PerformOrder<Extract<OrderedWork, { readonly type: T }>>
}

interface OrderPorts {
  readonly session: Pick<Session, 'complete'>
  /** The runner's copy of a unit. */
  readonly unitAt: (ref: ObjectRef) => Promise<KubernetesObject | undefined>
  readonly isOwn: (object: KubernetesObject) => boolean
  readonly performers: OrderPerformers
  readonly log: Log
}

/** How long the work on one order may take, in milliseconds. */
const timeoutMs = 60_000

/** Works on what users of the hub want to know, on one order of each type after another, and hands each result over once. */
export const orderedWork = ({ session, unitAt, isOwn, performers, log }: OrderPorts) => {
  const over = new AbortController()
  let begun: ReadonlySet<string> = new Set()
  const last = new Map<OrderType, Promise<unknown>>()

  const resultOf = async ({ ref, uid, work }: Order): Promise<OrderResult> => {
    const unit = await unitAt(ref)
    if (!unit || unit.metadata.uid !== uid || !isOwn(unit)) return { failed: 'the runner does not have it any more' }
    const perform = performers[work.type] as PerformOrder<OrderedWork> | undefined
    if (!perform) return { failed: `the runner takes no orders of type ${work.type}` }
    const signal = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)])
    try {
      return { found: await perform(unit, work, signal) }
    } catch (error) {
      if (isMistake(error)) log.error('an order was not carried out', { error, object: refOf(unit) })
      if (signal.aborted) return { failed: `it takes more than ${timeoutMs / 1000} seconds` }
      return { failed: errorMessage(error), ...(error instanceof ApiError && { reason: error.reason }) }
    }
  }
  const handOver = async (order: Order): Promise<void> => {
    const { ref, uid, id } = order
    const result = await resultOf(order)
    if (over.signal.aborted) return
    await session.complete({ ref, uid, id, result }).catch(async error => {
      if (!isRefused(error)) throw error
      await session.complete({ ref, uid, id, result: { failed: `the hub refuses the result: ${error.message}` } })
    })
  }

  return {
    /** Begins with those that it does not know. */
    take: (orders: readonly Order[]): void => {
      const fresh = orders.filter(({ id }) => !begun.has(id))
      begun = new Set(orders.map(({ id }) => id))
      for (const order of fresh) {
        const { type } = order.work
        const next = (last.get(type) ?? Promise.resolve())
          .then(() => handOver(order))
          .catch(error => log.error('a result could not be handed over', { error, object: order.ref }))
        last.set(type, next)
      }
    },
    close: (): void => over.abort(),
  }
}

/** Such as one that is too large: the user need not wait for another. */
const isRefused = (error: unknown): error is ApiError => error instanceof ApiError && refusals.has(error.code)

const refusals: ReadonlySet<number> = new Set([400, 413, 422])
