import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { StoredObject } from '../../ports/objects.ts'
import { collectionOf, dueKeys, headKey, headShard, placeOf } from './item-keys.ts'
import { packState, type State, unpackState } from './states.ts'
import { type Item, number, numberOf, type Table, text, textOf } from './table.ts'
import { shards } from './table-shape.ts'

/** An object as it is now. */
export interface Head {
  /** Sorts as the object does. */
  readonly place: string
  readonly version: number
  readonly state: State
  readonly due?: number
  readonly group?: string
  /** Each `key=value` between line ends, so that a filter finds one whole. Absent where nothing is to be told. */
  readonly labels?: string
}

export const headItem = (ref: ObjectRef, { version, state, due, group, labels }: Omit<Head, 'place'>): Item => {
  const collection = collectionOf(ref)
  const place = placeOf(ref)
  const { pk, sk } = headKey(collection, place)
  const { expires, blob } = state
  return {
    pk: text(pk),
    sk: text(sk),
    version: number(version),
    state: packState(state),
    ...(blob !== undefined && { blob: text(blob) }),
    ...(group !== undefined && { grp: text(group) }),
    ...(labels !== undefined && { labels: text(labels) }),
    ...(due !== undefined && dueAttributes(collection, place, due)),
    ...(expires !== undefined && { ttl: timeToLive(expires) }),
  }
}

/** Far longer than any writer may hold an unused version. */
const tombstoneMs = 24 * 60 * 60_000

/** What a deleted object leaves for a day: no version from before its deletion may be used to make it anew. */
export const tombstone = (ref: ObjectRef, version: number, now: number): Item => {
  const { pk, sk } = headKey(collectionOf(ref), placeOf(ref))
  return {
    pk: text(pk),
    sk: text(sk),
    version: number(version),
    gone: { BOOL: true },
    ttl: number(Math.ceil((now + tombstoneMs) / 1000)),
  }
}

export const isGone = (item: Item): boolean => item.gone?.BOOL === true

/** What an object's head has while it has a due time, and loses with it. */
export const dueAttributes = (collection: string, place: string, due: number): Item => {
  const { duePk, dueSk } = dueKeys(collection, place, due)
  return { due: number(due), duePk: text(duePk), dueSk: text(dueSk) }
}

/** A day late: those who ask for it by then are told by the time in it that it is gone. */
export const timeToLive = (expires: number) => number(Math.ceil(expires / 1000) + 24 * 60 * 60)

export const headIn = (item: Item): Head => {
  const due = numberOf(item, 'due')
  const group = item.grp?.S
  return {
    place: textOf(item, 'sk'),
    version: numberOf(item, 'version')!,
    state: unpackState(item),
    ...(due !== undefined && { due }),
    ...(group !== undefined && { group }),
  }
}

export const storedAs = (
  ref: ObjectRef,
  { version, state, due }: Pick<Head, 'version' | 'state' | 'due'>,
  body: string,
): StoredObject => ({
  ref,
  version: String(version),
  body,
  refersTo: state.refersTo,
  ...(due !== undefined && { due }),
  ...(state.expires !== undefined && { expires: state.expires }),
})

export interface HeadRange {
  readonly collection: string
  /** Absent = all. */
  readonly namespace?: string
  /** Only places behind this one. */
  readonly after: string
  /** How many are wanted, when that is known. */
  readonly wanted?: number
  /** As in the port's ListQuery. */
  readonly labels?: readonly (readonly string[])[]
}

/** Labels as an item has them; see `Head.labels`. */
export const labelsText = (labels: readonly string[]): string => `\n${labels.map(label => `${label}\n`).join('')}`

/** DynamoDB takes 300 operators in an expression: of a selector with more labels only the rest is looked for. */
const mostLabels = 50

/** Leaves out, where they lie, heads that are known to have none of the labels. */
const filterBy = (terms: readonly (readonly string[])[]): { filter: string; values: Item } | undefined => {
  const few = terms.filter(labels => labels.length <= mostLabels).slice(0, 4)
  if (few.length === 0) return undefined
  const values: Item = {}
  const having = few.map((labels, term) =>
    labels.map((label, index) => {
      const name = `:label${term}x${index}`
      values[name] = text(labelsText([label]))
      return `contains(#labels, ${name})`
    }),
  )
  // DynamoDB refuses parentheses that change nothing: AND binds closer than OR.
  const all = having.map(either => (either.length > 1 ? `(${either.join(' OR ')})` : either[0])).join(' AND ')
  return { filter: `attribute_not_exists(#labels) OR ${all}`, values }
}

/** Heads of a collection in order: the shards are read side by side and merged. */
export async function* headsOf(table: Table, range: HeadRange): AsyncGenerator<Head, void, undefined> {
  const { collection, namespace, after, wanted, labels = [] } = range
  const filtering = filterBy(labels)
  const first = namespace === undefined ? after : after > `${namespace}#` ? after : `${namespace}#`
  const bounded = namespace !== undefined
  const isPartOnly = bounded || first !== ''
  const query = {
    ...(isPartOnly && { where: bounded ? '#sk BETWEEN :first AND :last' : '#sk > :first' }),
    values: {
      ...(isPartOnly && { ':first': text(first) }),
      ...(bounded && { ':last': text(`${namespace}#\uffff`) }),
      ...filtering?.values,
    },
    ...(filtering && { filter: filtering.filter }),
    // A little more than an equal share of each shard: seldom must one be asked twice.
    ...(wanted !== undefined && !filtering && { pageSize: Math.ceil((wanted / shards.objects) * 1.25) + 3 }),
  }
  const readers = Array.from({ length: shards.objects }, (_, shard) =>
    table.query({ pk: headShard(collection, shard), ...query }),
  )
  const next = await Promise.all(readers.map(reader => reader.next()))
  for (;;) {
    let least = -1
    for (let shard = 0; shard < next.length; shard++) {
      if (next[shard]!.done) continue
      if (least < 0 || textOf(next[shard]!.value!, 'sk') < textOf(next[least]!.value!, 'sk')) least = shard
    }
    if (least < 0) return
    const item = next[least]!.value!
    next[least] = await readers[least]!.next()
    if (textOf(item, 'sk') !== after && !isGone(item)) yield headIn(item)
  }
}
