import { gunzipSync, gzipSync } from 'node:zlib'
import type { LiveRead } from '../../foundations/fleet/live.ts'
import type { ReleaseAtHead } from '../../foundations/fleet/release-at-head.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import { type ObjectStore, StoreError } from '../../platform/ports/objects.ts'
import type { Random } from '../../platform/ports/random.ts'
import { ApiError, type ApiErrorReason } from '../store/hub.ts'

/**
 * What someone wants to know of a unit, and only the unit's runner can find out: what a pass would change, how the cluster differs from what was applied last,
 * what is on the cluster, as far as the cluster lets the user see it, or what the head of a pull request would change: of a Kustomization, or of a HelmRelease.
 */
export type OrderedWork =
  | { readonly type: 'plan' }
  | { readonly type: 'comparison' }
  | LiveWork
  | HeadWork
  | ReleaseWork

export interface LiveWork {
  readonly type: 'live'
  readonly read: LiveRead
  /** Whom the runner impersonates. */
  readonly as: { readonly user: string; readonly groups: readonly string[] }
}

export interface HeadWork {
  readonly type: 'head'
  /** The runner may read it while the order is open. */
  readonly artifact: Artifact
}

export interface ReleaseWork {
  readonly type: 'release'
  /** The runner has the HelmRelease itself, and may read the source of its chart while the order is open. */
  readonly release: Omit<ReleaseAtHead, 'unit'>
}

export type OrderType = OrderedWork['type']

/** As a runner gets it. */
export interface Order {
  readonly id: string
  readonly ref: ObjectRef
  readonly uid: string
  readonly work: OrderedWork
}

/** What the runner has found: the document that the user gets; or why there is none. */
export type OrderResult =
  | { readonly found: object }
  | { readonly failed: string; readonly reason?: ApiErrorReason | undefined }

/** An order as the one who has placed it names it. */
export interface PlacedOrder extends Pick<Order, 'id' | 'uid'> {
  readonly type: OrderType
  /** Name of the user, or the pull request: the result is for nobody else. */
  readonly by: string
}

/** Orders and their results, for minutes: in records that are no API objects, so that each process of a hub has them. See docs/decisions/0077-plans-of-runners.md. */
export interface Orders {
  /**
   * Leaves an order for the runner of a cluster; returns its ID, which is random unless one is given. Fails with TooManyRequests beyond `maxOpen`, and with
   * RequestEntityTooLarge for what does not fit into an order.
   */
  place(
    access: TargetReference,
    order: Omit<Order, 'id'> & Pick<PlacedOrder, 'by'> & { readonly id?: string },
  ): Promise<string>
  /** Whether the runner has fewer orders of a type than `maxOpen`. */
  hasRoom(access: TargetReference, type: OrderType): Promise<boolean>
  /** Those without a result. */
  open(access: TargetReference): Promise<readonly Order[]>
  /** Stores the result of an open order of this unit, as `accept` has checked it. Fails with NotFound if there is none, or not any more. */
  complete(
    access: TargetReference,
    order: Pick<Order, 'id' | 'uid'>,
    accept: (work: OrderedWork) => Promise<OrderResult>,
  ): Promise<void>
  /** The result of an order; `open` while there is none, undefined once it has expired. */
  find(access: TargetReference, order: PlacedOrder): Promise<OrderResult | 'open' | undefined>
}

interface OrderPorts {
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
  readonly keys: Keys
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'uuid'>
}

interface Placed extends Omit<Order, 'work'> {
  /** Of a release only the type: the rest is in a record of its own. */
  readonly work: Exclude<OrderedWork, ReleaseWork> | Pick<ReleaseWork, 'type'>
  readonly by: string
  /** When it expires, in milliseconds since the epoch. */
  readonly until: number
}

/** How long an order waits for its result, and the result for the user who wants to see it; in milliseconds. */
export const orderMs = 2 * 60_000

/** How long the plan of a head waits for those of other units, which the same comment has; in milliseconds. */
export const headMs = 10 * 60_000

/** Orders of one type for one runner at a time. */
const maxOpen = 10

const attempts = 5

/** In characters of JSON: ten of them are sent at a time, and one is stored in a record, of which DynamoDB takes 400 KB. */
const maxReleaseLength = 250_000

/** Whether a release is small enough for an order. */
export const isOrderable = (release: ReleaseWork['release']): boolean =>
  JSON.stringify(release).length <= maxReleaseLength

/** Orders in the store of objects, with results sealed by the keys; writes fail with a StoreError if others write at the same time, again and again. */
export const createOrders = ({ objects, keys, clock, random }: OrderPorts): Orders => {
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

  const sealed = async (ref: ObjectRef, content: object): Promise<string> =>
    Buffer.from(await keys.seal(gzipSync(JSON.stringify(content)), contextOf(ref), scope)).toString('base64')

  const opened = async (ref: ObjectRef, body: string): Promise<unknown> => {
    const packed = await keys.open(Buffer.from(body, 'base64'), contextOf(ref), scope)
    return JSON.parse(gunzipSync(packed).toString())
  }

  /** Before the order is stored, so that each process that finds that finds this, too. */
  const keepRelease = async (ref: ObjectRef, release: ReleaseWork['release']): Promise<void> => {
    if (!isOrderable(release)) throw new ApiError(413, 'RequestEntityTooLarge', 'the release is too large for an order')
    const body = await sealed(ref, release)
    const known = await objects.get(ref) // of an order that has expired
    const written = { ref, body, refersTo: [], expires: clock.now() + orderMs }
    await objects.commit(known ? { op: 'update', expect: known.version, ...written } : { op: 'create', ...written })
  }

  /** With the release, if it has one; undefined if that has expired. */
  const whole = async (access: TargetReference, { id, ref, uid, work }: Placed): Promise<Order | undefined> => {
    if (work.type !== 'release') return { id, ref, uid, work }
    const place = releasePlaceOf(access, { id, uid })
    const record = await objects.get(place)
    if (!record) return undefined
    const release = (await opened(place, record.body)) as ReleaseWork['release']
    return { id, ref, uid, work: { type: work.type, release } }
  }

  const hasRoom = (open: readonly Placed[], type: OrderType): boolean =>
    open.filter(other => other.work.type === type).length < maxOpen

  return {
    place: async (access, { id = random.uuid(), ref, uid, work, by }) => {
      if (work.type === 'release') await keepRelease(releasePlaceOf(access, { id, uid }), work.release)
      const placed = work.type === 'release' ? { type: work.type } : work
      await replace(access, open => {
        if (!hasRoom(open, work.type))
          throw new ApiError(429, 'TooManyRequests', `the runner has ${maxOpen} orders of this type: try again later`, {
            retryAfterSeconds: 10,
          })
        return [...open, { id, ref, uid, work: placed, by, until: clock.now() + orderMs }]
      })
      return id
    },
    hasRoom: async (access, type) => hasRoom((await read(access)).open, type),
    open: async access => {
      const orders = await Promise.all((await read(access)).open.map(placed => whole(access, placed)))
      return orders.filter(order => order !== undefined)
    },
    complete: async (access, { id, uid }, accept) => {
      const order = (await read(access)).open.find(one => one.id === id && one.uid === uid)
      const { work } = (order && (await whole(access, order))) ?? {}
      if (!order || !work) throw new ApiError(404, 'NotFound', 'nobody waits for the result of this order any more')
      const kept = { by: order.by, type: work.type, result: await accept(work) }
      const ref = resultPlaceOf(access, { id, uid })
      const body = await sealed(ref, kept)
      const known = await objects.get(ref) // the runner has not seen the response
      const expires = clock.now() + (isOfHead(work) ? headMs : orderMs)
      if (!known) await objects.commit({ op: 'create', ref, body, refersTo: [], expires })
      await replace(access, open => open.filter(other => other.id !== id))
    },
    find: async (access, { id, uid, type, by }) => {
      const ref = resultPlaceOf(access, { id, uid })
      const record = await objects.get(ref)
      if (record && (record.expires ?? 0) > clock.now()) {
        const kept = (await opened(ref, record.body)) as Kept
        return kept.by === by && kept.type === type ? kept.result : undefined
      }
      const { open } = await read(access)
      const isOpen = open.some(one => one.id === id && one.uid === uid && one.by === by && one.work.type === type)
      return isOpen ? 'open' : undefined
    },
  }
}

/** What is sealed. */
interface Kept {
  readonly by: string
  readonly type: OrderType
  readonly result: OrderResult
}

const races: ReadonlySet<string> = new Set(['exists', 'conflict', 'missing'])

/** Not kinds of the API. */
const placeOf = ({ kind, namespace, name }: TargetReference): ObjectRef => ({
  ...{ group: 'orders.runner', kind, namespace, name },
})

/** A result is read by those who may see the unit: its place has the unit's UID. */
const resultPlaceOf = ({ namespace }: TargetReference, { id, uid }: Pick<Order, 'id' | 'uid'>): ObjectRef => ({
  ...{ group: 'results.runner', kind: 'Result', namespace, name: `${uid}.${id}` },
})

const releasePlaceOf = ({ namespace }: TargetReference, { id, uid }: Pick<Order, 'id' | 'uid'>): ObjectRef => ({
  ...{ group: 'releases.runner', kind: 'Release', namespace, name: `${uid}.${id}` },
})

const isOfHead = ({ type }: OrderedWork): boolean => type === 'head' || type === 'release'

/** Results contain parts of manifests and of live objects; releases have values. */
const scope = { purpose: 'bodies' } as const
const contextOf = ({ kind, namespace, name }: ObjectRef): string => `order-${kind.toLowerCase()}/${namespace}/${name}`
