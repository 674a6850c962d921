import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import { type ObjectStore, StoreError } from '../../platform/ports/objects.ts'
import type { Random } from '../../platform/ports/random.ts'
import { ApiError } from '../store/hub.ts'

/** A plan of a unit that a user wants to see, and only the unit's runner can make. */
export interface PlanOrder {
  readonly id: string
  readonly ref: ObjectRef
  readonly uid: string
}

/** What the runner has found. */
export type PlanResult = { readonly plan: PreviewedPlan } | { readonly failed: string }

/** Orders of plans, and their results, for minutes: in records that are no API objects, so that each process of a hub has them. See docs/decisions/0077-plans-of-runners.md. */
export interface PlanOrders {
  /** Leaves an order for the runner of a cluster; returns its ID. Fails with TooManyRequests beyond `maxOpen`. */
  place(access: TargetReference, unit: Omit<PlanOrder, 'id'>): Promise<string>
  /** Those without a result. */
  open(access: TargetReference): Promise<readonly PlanOrder[]>
  /** Stores the result of an open order of this unit. Fails with NotFound if there is none, or not any more. */
  complete(access: TargetReference, order: Pick<PlanOrder, 'id' | 'uid'>, result: PlanResult): Promise<void>
  /** The result of an order of this unit; `open` while there is none, undefined once it has expired. */
  find(access: TargetReference, order: Pick<PlanOrder, 'id' | 'uid'>): Promise<PlanResult | 'open' | undefined>
}

interface PlanOrderPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'uuid'>
}

interface Placed extends PlanOrder {
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number
}

/** How long an order waits for its result, and the result for the user who wants to see it; in milliseconds. */
export const orderMs = 2 * 60_000

/** Orders for one runner at a time. */
const maxOpen = 10

const attempts = 5

/** Orders in the store of objects, with results sealed by the keys; writes fail with a StoreError if others write at the same time, again and again. */
export const planOrders = ({ objects, keys, clock, random }: PlanOrderPorts): PlanOrders => {
  const read = async (access: TargetReference) => {
    const record = await objects.get(placeOf(access))
    const placed = record ? (JSON.parse(record.body) as readonly Placed[]) : []
    return { record, open: placed.filter(({ until }) => until > clock.now()) }
  }

  /** Replaces the open orders, also if another process does so at the same time. */
  const replace = async (access: TargetReference, next: (open: readonly Placed[]) => readonly Placed[]) => {
    for (let left = attempts; ; left--) {
      const { record, open } = await read(access)
      const body = JSON.stringify(next(open))
      const written = { ref: placeOf(access), body, refersTo: [], expires: clock.now() + orderMs }
      try {
        await objects.commit(
          record ? { op: 'update', expect: record.version, ...written } : { op: 'create', ...written },
        )
        return
      } catch (error) {
        if (!(error instanceof StoreError) || !races.has(error.code) || left === 0) throw error
      }
    }
  }

  return {
    place: async (access, { ref, uid }) => {
      const id = random.uuid()
      await replace(access, open => {
        if (open.length >= maxOpen)
          throw new ApiError(429, 'TooManyRequests', `the runner has ${maxOpen} plans to make: try again later`, {
            retryAfterSeconds: 10,
          })
        return [...open, { id, ref, uid, until: clock.now() + orderMs }]
      })
      return id
    },
    open: async access => (await read(access)).open.map(({ id, ref, uid }) => ({ id, ref, uid })),
    complete: async (access, { id, uid }, result) => {
      const { open } = await read(access)
      if (!open.some(isOrder({ id, uid }))) throw new ApiError(404, 'NotFound', 'nobody waits for this plan any more')
      const ref = resultPlaceOf(access, { id, uid })
      const sealed = await keys.seal(Buffer.from(JSON.stringify(result)), contextOf(ref), scope)
      const body = Buffer.from(sealed).toString('base64')
      const known = await objects.get(ref) // the runner has not seen the response
      if (!known) await objects.commit({ op: 'create', ref, body, refersTo: [], expires: clock.now() + orderMs })
      await replace(access, open => open.filter(order => order.id !== id))
    },
    find: async (access, order) => {
      const ref = resultPlaceOf(access, order)
      const record = await objects.get(ref)
      if (record && (record.expires ?? 0) > clock.now()) {
        const text = await keys.open(Buffer.from(record.body, 'base64'), contextOf(ref), scope)
        return JSON.parse(Buffer.from(text).toString()) as PlanResult
      }
      return (await read(access)).open.some(isOrder(order)) ? 'open' : undefined
    },
  }
}

const races: ReadonlySet<string> = new Set(['exists', 'conflict', 'missing'])

const isOrder =
  ({ id, uid }: Pick<PlanOrder, 'id' | 'uid'>) =>
  (order: PlanOrder): boolean =>
    order.id === id && order.uid === uid

/** Not kinds of the API. */
const placeOf = ({ kind, namespace, name }: TargetReference): ObjectRef => ({
  ...{ group: 'plan-orders.runner', kind, namespace, name },
})

/** A result is read by those who may see the unit: its place has the unit's UID. */
const resultPlaceOf = ({ namespace }: TargetReference, { id, uid }: Pick<PlanOrder, 'id' | 'uid'>): ObjectRef => ({
  ...{ group: 'plan-results.runner', kind: 'Plan', namespace, name: `${uid}.${id}` },
})

/** Plans contain parts of manifests and of live objects. */
const scope = { purpose: 'bodies' } as const
const contextOf = ({ namespace, name }: ObjectRef): string => `plan-result/${namespace}/${name}`
