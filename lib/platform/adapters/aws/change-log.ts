import { setTimeout as sleep } from 'node:timers/promises'
import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import { changeKey, changeShard, placeOf, refAt, sortableNumber } from './item-keys.ts'
import { packTransition, type State, unpackTransition } from './states.ts'
import { type Item, number, type Step, type Table, text, textOf } from './table.ts'
import { shards } from './table-shape.ts'
import type { Counter, Versions } from './versions.ts'

/**
 * The changes of collections in the order of their versions. A writer takes a version first and fills its slot in the same
 * transaction that changes the object; so slots fill out of order, and some never do. A reader passes a slot only when it is
 * filled: one that stays empty for long it makes void, which the writer's transaction then runs into, and takes another
 * version. So what readers have passed never changes, and nobody waits for a writer that is gone.
 */
export interface ChangeLog {
  /** The step of a transaction that fills a slot. */
  fill(collection: string, change: LoggedChange, more: { at: number }): Step
  /** Makes a slot void. False when it was filled before. */
  abandon(collection: string, version: number): Promise<boolean>
  isVoid(collection: string, version: number): Promise<boolean>
  /** How far the collection can be read now: everything that was committed before the call is in it. */
  advance(collection: string): Promise<Horizon>
  /** The same, of a moment ago perhaps: for those who ask again and again. */
  glance(collection: string): Promise<Horizon>
  /** To be called after a commit, with what was known when its version was taken: keeps what is unsettled short. */
  keepSettled(collection: string, counter: Counter): Promise<void>
  /** Changes after a version, up to one that the horizon has; undefined when they are forgotten. */
  read(collection: string, after: number, upTo: number): Promise<readonly LoggedChange[] | undefined>
}

export interface LoggedChange {
  readonly version: number
  readonly type: 'created' | 'updated' | 'deleted'
  readonly ref: ObjectRef
  readonly after: State
  /** The state and version that this change replaced. */
  readonly before?: State & { readonly version: number }
}

export interface Horizon {
  /** The newest version to be seen. */
  readonly version: number
  /** Changes up to this one are forgotten. */
  readonly forgotten: number
}

export interface ChangeLogPorts {
  readonly table: Table
  readonly versions: Versions
  readonly clock: Clock
  /** How long changes are to be had, in milliseconds. */
  readonly keepMs: number
}

/** A commit takes 10 to 20 ms from its version on: who takes longer than this must take another version. */
const patienceMs = 400
const lookAgainMs = 8
/** With nothing committed above them, slots are left to their writers for longer. */
const lonelyMs = 10_000
/** After how many versions one of the writers settles a collection; any of them after some more, or after a time. */
const unsettled = { versions: 64, mostVersions: 256, ageMs: 60_000 }
/** Forgotten changes stay in the table for longer than anybody could still be reading them. */
const keptBeyondMs = 24 * 60 * 60_000
/** Changes of a collection that stay in memory: watchers and listings all want the latest. */
const remembered = { changes: 500, bytes: 4_000_000 }

export function changeLog({ table, versions, clock, keepMs }: ChangeLogPorts): ChangeLog {
  const recents = new Map<string, Recent>()
  const flights = new Map<string, { readonly horizon: Promise<Horizon>; next?: Promise<Horizon> }>()

  return { fill, abandon, isVoid, advance, glance, keepSettled, read }

  function fill(collection: string, change: LoggedChange, { at }: { at: number }): Step {
    const { version, type, ref, after, before } = change
    const item: Item = {
      ...slot(collection, version),
      type: text(type),
      place: text(placeOf(ref)),
      state: packTransition({ after, ...(before && { before }) }),
      ttl: number(Math.ceil((at + keepMs + keptBeyondMs) / 1000)),
    }
    return { name: 'change', put: item, condition: 'attribute_not_exists(#pk)' }
  }

  function abandon(collection: string, version: number): Promise<boolean> {
    const ttl = number(Math.ceil((clock.now() + keepMs + keptBeyondMs) / 1000))
    const item = { ...slot(collection, version), type: text('void'), ttl }
    return table.put(item, { condition: 'attribute_not_exists(#pk)' })
  }

  async function isVoid(collection: string, version: number): Promise<boolean> {
    const item = await table.get(changeKey(collection, version))
    return !item || textOf(item, 'type') === 'void'
  }

  function glance(collection: string): Promise<Horizon> {
    return flights.get(collection)?.horizon ?? advance(collection)
  }

  /** One look at a time for all who ask; who asks during one gets the next, as that one may have begun too early. */
  function advance(collection: string): Promise<Horizon> {
    const running = flights.get(collection)
    if (running) {
      running.next ??= running.horizon.then(
        () => advance(collection),
        () => advance(collection),
      )
      return running.next
    }
    const horizon = settleUp(collection).finally(() => flights.delete(collection))
    flights.set(collection, { horizon })
    return horizon
  }

  async function keepSettled(collection: string, counter: Counter): Promise<void> {
    const { last, settled, settledAt } = counter
    const isTurn = last % unsettled.versions === 0 || last - settled >= unsettled.mostVersions
    if (!isTurn && clock.now() - settledAt < unsettled.ageMs) return
    await advance(collection)
  }

  async function settleUp(collection: string): Promise<Horizon> {
    const counter = await versions.read(collection)
    const recent = recentOf(collection, counter.settled)
    const found = await slots(collection, recent.upTo, counter.last)
    const isBusy = clock.now() - counter.at < lonelyMs
    const top = isBusy ? Math.max(recent.upTo, ...found.keys()) : counter.last
    await waitForMissing(collection, recent.upTo, top, found)
    for (let version = recent.upTo + 1; version <= top; version++) recent.add(found.get(version)!)
    if (isWorthNoting(counter, recent.upTo)) await versions.settle(collection, counter, recent.upTo)
    return { version: recent.upTo, forgotten: versions.forgotten(counter) }
  }

  function isWorthNoting({ settled, settledAt }: Counter, upTo: number): boolean {
    const newly = upTo - settled
    return newly >= unsettled.versions / 2 || (newly > 0 && clock.now() - settledAt >= unsettled.ageMs)
  }

  async function waitForMissing(collection: string, from: number, to: number, found: Map<number, Item>) {
    const impatient = performance.now() + patienceMs
    for (let missing = missingIn(found, from, to); missing.length > 0; missing = missingIn(found, from, to)) {
      if (performance.now() < impatient) await sleep(lookAgainMs)
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
    // What others have settled since our last look is only read by those who want it.
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
  /** The slot that follows. */
  add(item: Item): void
  /** Undefined when not all of them are remembered. */
  between(after: number, upTo: number): readonly Item[] | undefined
}

/** The newest slots of a collection, without a gap. */
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
      if (items.length <= remembered.changes * 2 && size <= remembered.bytes) return
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
