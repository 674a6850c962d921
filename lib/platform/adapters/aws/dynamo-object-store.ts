import { describeRef, type ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import {
  type ChangeEvent,
  type ListQuery,
  type ObjectChange,
  type ObjectPage,
  type ObjectStore,
  type ReferrerQuery,
  type RefPage,
  type StoredObject,
  StoreError,
  type WatchQuery,
} from '../../ports/objects.ts'
import { collectionOf } from '../collection-name.ts'
import { pageToken, readPageToken } from '../page-token.ts'
import { wakeUps } from '../wake-ups.ts'
import { type ChangeLog, changeLog, type Horizon, type LoggedChange } from './change-log.ts'
import { commits } from './commits.ts'
import { type Head, type HeadRange, headIn, headsOf, isGone, storedAs } from './heads.ts'
import { headKey, placeOf, refAt, referrersAfter, referrersOf, refOfReferrer } from './item-keys.ts'
import type { State, States } from './states.ts'
import { type Table, textOf } from './table.ts'
import { versionsOf } from './versions.ts'

const replacedDuringRead = () =>
  new StoreError('expired', 'a large object was replaced while it was read: read it again')

export interface DynamoObjectStorePorts {
  readonly table: Table
  readonly states: States
  readonly clock: Clock
  /** How long changes can be watched and listings continued, in milliseconds. */
  readonly keepMs: number
  /** Called with each object that a list omits because its body can't be read. */
  readonly onDamaged?: (ref: ObjectRef) => void
}

/** How often a watch polls for other processes' changes: frequently after a change, then less and less. */
const poll = { firstMs: 100, growth: 1.5, maxMs: 1000 }
/** Maximum number of changes that a watch reads at a time; one that catches up with many is done sooner with more. */
const batch = { following: 200, catchingUp: 1_000 }

/**
 * Objects in DynamoDB: a head per object and a log of changes (see change-log.ts and docs/decisions/0005). All reads are strongly consistent;
 * referrers are separate items, written in the object's transaction.
 */
export function dynamoObjectStore(ports: DynamoObjectStorePorts): ObjectStore {
  const { table, states, clock, keepMs, onDamaged = () => {} } = ports
  const versions = versionsOf(table, clock, keepMs)
  const log: ChangeLog = changeLog({ table, versions, clock, keepMs })
  /** Saves watchers from polling for changes of their own process. */
  const changed = wakeUps()
  const commit = commits({ table, states, clock, versions, log })

  return { get, list, watch, referrers, commit: commitAndWake }

  async function commitAndWake(change: ObjectChange): Promise<StoredObject> {
    const stored = await commit(change)
    changed.wake(collectionOf(change.ref))
    return stored
  }

  async function get(ref: ObjectRef): Promise<StoredObject | undefined> {
    for (let lacking: number | undefined; ; ) {
      const item = await table.get(headKey(collectionOf(ref), placeOf(ref)))
      if (!item || isGone(item)) return undefined
      const head = headIn(item)
      if (isOver(head.state)) return undefined
      const body = await states.bodyOf(head.state)
      if (body !== undefined) return storedAs(ref, head, body)
      if (head.version === lacking) throw new Error(`the body of ${describeRef(ref)} is missing from the bucket`)
      // The object was replaced, and its large body deleted, since we read the head: read the new one.
      lacking = head.version
    }
  }

  async function list(query: ListQuery): Promise<ObjectPage> {
    const collection = collectionOf(query)
    const { namespace, labels, limit = Number.POSITIVE_INFINITY } = query
    const [version, after] = query.continue
      ? readPageToken(query.continue, ['number', 'string'] as const)
      : ([(await log.advance(collection)).version, ''] as const)
    const { heads, more } = await firstOf(limit, { collection, namespace, after, labels })
    const until = more ? heads.at(-1)!.place : undefined
    const undone = await undoneSince(collection, version, await log.advance(collection))
    const page = [...heads.filter(({ place }) => !undone.has(place)), ...undone.values()]
      .filter(head => head !== undefined)
      .filter(({ place }) => place > after && (until === undefined || place <= until))
      .filter(({ place }) => namespace === undefined || place.startsWith(`${namespace}#`))
      .filter(({ state }) => !isOver(state))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
    const shown = page.slice(0, limit)
    const end = shown.length < page.length ? shown.at(-1)!.place : until
    return {
      ...(await storedIn(collection, shown)),
      version: String(version),
      ...(end !== undefined && { continue: pageToken([version, end]) }),
    }
  }

  async function firstOf(limit: number, range: Omit<HeadRange, 'wanted'>): Promise<{ heads: Head[]; more: boolean }> {
    const heads: Head[] = []
    for await (const head of headsOf(table, { ...range, ...(Number.isFinite(limit) && { wanted: limit }) })) {
      if (heads.length === limit) return { heads, more: true }
      heads.push(head)
    }
    return { heads, more: false }
  }

  /** The states, as of a version, of objects that have changed since; undefined for those that did not exist. */
  async function undoneSince(
    collection: string,
    version: number,
    { version: now, forgotten }: Horizon,
  ): Promise<Map<string, Head | undefined>> {
    const undone = new Map<string, Head | undefined>()
    for (const { ref, before } of await changes(collection, version, now, forgotten)) {
      const place = placeOf(ref)
      if (!undone.has(place)) undone.set(place, before && { place, version: before.version, state: before })
    }
    return undone
  }

  async function changes(collection: string, after: number, upTo: number, forgotten: number) {
    const found = after < forgotten ? undefined : await log.read(collection, after, upTo)
    if (!found) throw new StoreError('expired', `version ${after} of ${collection} is too old: it was compacted`)
    return found
  }

  /** A damaged object must not prevent listing the others of its kind: it is omitted and reported. */
  async function storedIn(collection: string, heads: readonly Head[]): Promise<Pick<ObjectPage, 'items' | 'damaged'>> {
    const damaged: ObjectRef[] = []
    const found = await Promise.all(
      heads.map(async head => {
        const ref = refAt(collection, head.place)
        const body = await states.bodyOf(head.state)
        if (body !== undefined) return storedAs(ref, head, body)
        await requireCurrent(collection, head)
        onDamaged(ref)
        damaged.push(ref)
        return undefined
      }),
    )
    return { items: found.filter(object => object !== undefined), ...(damaged.length > 0 && { damaged }) }
  }

  /** Fails if an object has changed since its head was read, or the head shows an earlier state: a new list finds its body. */
  async function requireCurrent(collection: string, { place, version }: Head): Promise<void> {
    const item = await table.get(headKey(collection, place))
    if (!item || isGone(item) || headIn(item).version !== version) throw replacedDuringRead()
  }

  async function bodyOf(state: State): Promise<string> {
    const body = await states.bodyOf(state)
    if (body === undefined) throw replacedDuringRead()
    return body
  }

  async function* watch({ group, kind, namespace, after: from, signal, untilNow }: WatchQuery) {
    const collection = collectionOf({ group, kind })
    let after = Number(from)
    let pause = poll.firstMs
    let end = Number.POSITIVE_INFINITY
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const horizon = await (isFirst ? log.advance(collection) : log.cachedHorizon(collection))
      // A version from the future was issued before the table was restored to an earlier state.
      if (isFirst && !(after <= horizon.version))
        throw new StoreError('expired', `version ${from} of ${collection} was not issued here`)
      if (isFirst && untilNow) end = horizon.version
      const upTo = Math.min(horizon.version, after + (untilNow ? batch.catchingUp : batch.following))
      // Dropped changes stay for a day, and are complete if all are there. Who catches up once gains by that; who follows must not depend on it.
      const forgotten = untilNow ? 0 : horizon.forgotten
      const found = await changes(collection, after, Math.max(after, upTo), forgotten)
      for (const change of found) {
        if (signal.aborted) return
        if (namespace === undefined || change.ref.namespace === namespace) yield await eventOf(change)
      }
      const isIdle = upTo <= after
      after = Math.max(after, upTo)
      if (after >= end) return
      if (isIdle) await changed.sleep(collection, signal, pause)
      pause = isIdle ? Math.min(poll.maxMs, pause * poll.growth) : poll.firstMs
    }
  }

  async function eventOf({ type, ref, version, after, before }: LoggedChange): Promise<ChangeEvent> {
    const object = storedAs(ref, { version, state: after }, await bodyOf(after))
    return { type, object, ...(before && { before: await bodyOf(before) }) }
  }

  async function referrers(
    target: string,
    { limit = Number.POSITIVE_INFINITY, continue: token, of }: ReferrerQuery,
  ): Promise<RefPage> {
    const after = token === undefined ? undefined : readPageToken(token, ['string'] as const)[0]
    const refs: ObjectRef[] = []
    let last = ''
    const items = table.query({
      pk: referrersOf(target),
      ...referrersAfter(after, of && collectionOf(of)),
      ...(Number.isFinite(limit) && { pageSize: limit + 1 }),
    })
    for await (const item of items) {
      if (refs.length === limit) return { refs, continue: pageToken([last]) }
      last = textOf(item, 'sk')
      refs.push(refOfReferrer({ sk: last }))
    }
    return { refs }
  }

  function isOver({ expires }: State): boolean {
    return expires !== undefined && expires <= clock.now()
  }
}
