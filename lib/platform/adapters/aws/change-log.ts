import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import { changeKey, changeShard, placeOf, refAt, sortableNumber } from './item-keys.ts'
import { packTransition, type State, unpackTransition } from './states.ts'
import { type Item, number, type Step, type Table, text, textOf } from './table.ts'
import { shards } from './table-shape.ts'
import type { Counter, Versions } from './versions.ts'

/**
 * The changes of collections in the order of their versions. A writer takes a version first, and fills that version's
 * slot in the transaction that changes the object; so slots fill out of order, and some never do. A reader goes past a
 * slot only when it is filled. It voids a slot that stays empty too long; the writer's transaction then fails, and
 * takes another version. So what readers have passed never changes, and no reader waits for a writer that is gone.
 */
export interface ChangeLog {
  /** The transaction step that fills a slot. */
  fill(collection: string, change: LoggedChange, more: { at: number }): Step
  /** Voids a slot. Resolves to false if it is already filled. */
  abandon(collection: string, version: number): Promise<boolean>
  isVoid(collection: string, version: number): Promise<boolean>
  /** How far the collection can be read: includes everything committed before the call. */
  advance(collection: string): Promise<Horizon>
  /** Like `advance`, but may lag by a moment: for repeated polling. */
  cachedHorizon(collection: string): Promise<Horizon>
  /** Called after a commit with the counter of its version: keeps the unsettled part of the log short. */
  settleIfDue(collection: string, counter: Counter): Promise<void>
  /** Changes after a version, up to one within the horizon; undefined if they have been dropped. */
  read(collection: string, after: number, upTo: number): Promise<readonly LoggedChange[] | undefined>
}

export interface LoggedChange {
  readonly version: number
  readonly type: 'created' | 'updated' | 'deleted'
  readonly ref: ObjectRef
  readonly after: State
  /** The replaced state and its version. */
  readonly before?: State & { readonly version: number }
}

export interface Horizon {
  /** The newest readable version. */
  readonly version: number
  /** Changes up to this version have been dropped. */
  readonly forgotten: number
}

export interface ChangeLogPorts {
  readonly table: Table
  readonly versions: Versions
  readonly clock: Clock
  /** How long changes are kept, in milliseconds. */
  readonly keepMs: number
}

/** A commit takes 10 to 20 ms after it has taken its version; one that takes longer than this has to take another version. */
const slotTimeoutMs = 400
const pollMs = 8
/** If nothing is committed above them, slots may stay empty for this long. */
const idleSlotTimeoutMs = 10_000
/** Every so many versions, their writer settles the collection; after `maxVersions` or `ageMs`, any writer does. */
const unsettled = { versions: 64, maxVersions: 256, ageMs: 60_000 }
/** Dropped changes stay in the table longer than any reader may still need them. */
const extraRetentionMs = 24 * 60 * 60_000
/** Limits of the cached changes per collection: watchers and listings all need the latest. */
const cacheLimits = { changes: 500, bytes: 4_000_000 }

/**
 * The log over a table. What a process has read of a collection lately is cached, for its watchers and listings; each
 * process has its own cache.
 */
export function changeLog({ table, versions, clock, keepMs }: ChangeLogPorts): ChangeLog {
  const recents = new Map<string, Recent>()
  const pendingReads = new Map<string, { readonly horizon: Promise<Horizon>; next?: Promise<Horizon> }>()

  return { fill, abandon, isVoid, advance, cachedHorizon, settleIfDue, read }

  function fill(collection: string, change: LoggedChange, { at }: { at: number }): Step {
    const { version, type, ref, after, before } = change
    const item: Item = {
      ...slot(collection, version),
      type: text(type),
      place: text(placeOf(ref)),
      state: packTransition({ after, ...(before && { before }) }),
      ttl: number(Math.ceil((at + keepMs + extraRetentionMs) / 1000)),
    }
    return { name: 'change', put: item, condition: 'attribute_not_exists(#pk)' }
  }

  function abandon(collection: string, version: number): Promise<boolean> {
    const ttl = number(Math.ceil((clock.now() + keepMs + extraRetentionMs) / 1000))
    const item = { ...slot(collection, version), type: text('void'), ttl }
    return table.put(item, { condition: 'attribute_not_exists(#pk)' })
  }

  async function isVoid(collection: string, version: number): Promise<boolean> {
    const item = await table.get(changeKey(collection, version))
    return !item || textOf(item, 'type') === 'void'
  }

  function cachedHorizon(collection: string): Promise<Horizon> {
    return pendingReads.get(collection)?.horizon ?? advance(collection)
  }

  /**
   * Callers share one read at a time. Those that call during a read share the next one, as the current one may have
   * begun before their commits.
   */
  function advance(collection: string): Promise<Horizon> {
    const running = pendingReads.get(collection)
    if (running) {
      running.next ??= running.horizon.then(
        () => advance(collection),
        () => advance(collection),
      )
      return running.next
    }
    const horizon = readHorizon(collection).finally(() => pendingReads.delete(collection))
    pendingReads.set(collection, { horizon })
    return horizon
  }

  async function settleIfDue(collection: string, counter: Counter): Promise<void> {
    const { last, settled, settledAt } = counter
    const isVersionDue = last % unsettled.versions === 0 || last - settled >= unsettled.maxVersions
    if (!isVersionDue && clock.now() - settledAt < unsettled.ageMs) return
    await advance(collection)
  }

  async function readHorizon(collection: string): Promise<Horizon> {
    const counter = await versions.read(collection)
    const recent = recentOf(collection, counter.settled)
    const found = await slots(collection, recent.upTo, counter.last)
    const isBusy = clock.now() - counter.at < idleSlotTimeoutMs
    const top = isBusy ? Math.max(recent.upTo, ...found.keys()) : counter.last
    await waitForMissing(collection, recent.upTo, top, found)
    for (let version = recent.upTo + 1; version <= top; version++) recent.add(found.get(version)!)
    if (shouldRecord(counter, recent.upTo)) await versions.settle(collection, counter, recent.upTo)
    return { version: recent.upTo, forgotten: versions.forgotten(counter) }
  }

  function shouldRecord({ settled, settledAt }: Counter, upTo: number): boolean {
    const newly = upTo - settled
    return newly >= unsettled.versions / 2 || (newly > 0 && clock.now() - settledAt >= unsettled.ageMs)
  }

  async function waitForMissing(collection: string, from: number, to: number, found: Map<number, Item>) {
    const deadline = performance.now() + slotTimeoutMs
    for (let missing = missingIn(found, from, to); missing.length > 0; missing = missingIn(found, from, to)) {
      if (performance.now() < deadline) await sleep(pollMs)
      else await Promise.all(missing.map(version => abandon(collection, version)))
      const items = await Promise.all(missing.map(version => table.get(changeKey(collection, version))))
      for (const [index, item] of items.entries()) if (item) found.set(missing[index]!, item)
    }
  }

  async function read(collection: string, after: number, upTo: number): Promise<readonly LoggedChange[] | undefined> {
    const recent = recents.get(collection)
    const known = recent?.between(after, upTo)
    const items = known ?? (await whole(collection, after, upTo))
    return items?.flatMap(item => changeIn(collection, item) ?? [])
  }

  async function whole(collection: string, after: number, upTo: number): Promise<readonly Item[] | undefined> {
    const found = await slots(collection, after, upTo)
    if (missingIn(found, after, upTo).length > 0) return undefined
    return [...found].sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  async function slots(collection: string, after: number, upTo: number): Promise<Map<number, Item>> {
    if (upTo <= after) return new Map()
    const range = {
      where: '#sk BETWEEN :from AND :to',
      values: { ':from': text(sortableNumber(after + 1)), ':to': text(sortableNumber(upTo)) },
    }
    const wanted = Array.from({ length: Math.min(shards.log, upTo - after) }, (_, i) => (after + 1 + i) % shards.log)
    const parts = await Promise.all(
      wanted.map(shard => Array.fromAsync(table.query({ pk: changeShard(collection, shard), ...range }))),
    )
    return new Map(parts.flat().map(item => [versionOf(item), item]))
  }

  function recentOf(collection: string, settled: number): Recent {
    const known = recents.get(collection)
    if (known && known.upTo >= settled) return known
    // Changes that others have settled since are read only on demand.
    const recent = recentChanges(settled)
    recents.set(collection, recent)
    return recent
  }
}

const slot = (collection: string, version: number): Item => {
  const { pk, sk } = changeKey(collection, version)
  return { pk: text(pk), sk: text(sk) }
}

const versionOf = (item: Item): number => Number(textOf(item, 'sk'))

const missingIn = (found: ReadonlyMap<number, unknown>, from: number, to: number): number[] => {
  const missing: number[] = []
  if (found.size < to - from) for (let v = from + 1; v <= to; v++) if (!found.has(v)) missing.push(v)
  return missing
}

const decoded = new WeakMap<Item, LoggedChange>()

/** Undefined for a void slot. */
const changeIn = (collection: string, item: Item): LoggedChange | undefined => {
  const type = textOf(item, 'type')
  if (type === 'void') return undefined
  let change = decoded.get(item)
  if (!change) {
    const { after, before } = unpackTransition(item) as Pick<LoggedChange, 'after' | 'before'>
    const ref = refAt(collection, textOf(item, 'place'))
    change = { version: versionOf(item), type: type as LoggedChange['type'], ref, after, ...(before && { before }) }
    decoded.set(item, change)
  }
  return change
}

interface Recent {
  readonly upTo: number
  /** Adds the next slot. */
  add(item: Item): void
  /** Undefined unless all of them are cached. */
  between(after: number, upTo: number): readonly Item[] | undefined
}

/** The newest slots of a collection, without gaps. */
const recentChanges = (settled: number): Recent => {
  let items: Item[] = []
  let upTo = settled
  let size = 0
  return {
    get upTo() {
      return upTo
    },
    add: item => {
      items.push(item)
      upTo += 1
      size += sizeOf(item)
      if (items.length <= cacheLimits.changes * 2 && size <= cacheLimits.bytes) return
      items = items.slice(-Math.ceil(items.length / 2))
      size = items.reduce((sum, kept) => sum + sizeOf(kept), 0)
    },
    between: (after, to) => {
      const first = upTo - items.length
      return after >= first && to <= upTo ? items.slice(after - first, to - first) : undefined
    },
  }
}

const sizeOf = (item: Item): number => 200 + (item.state?.B?.length ?? 0)
