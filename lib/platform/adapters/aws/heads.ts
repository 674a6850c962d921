import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { StoredObject } from '../../ports/objects.ts'
import { collectionOf } from '../collection-name.ts'
import { dueKeys, headKey, headShard, placeOf } from './item-keys.ts'
import { packState, type State, unpackState } from './states.ts'
import { type Item, number, numberOf, type Table, text, textOf } from './table.ts'
import { shards } from './table-shape.ts'

/** The current state of an object. */
export interface Head {
  /** Sorts like the objects. */
  readonly place: string
  readonly version: number
  readonly state: State
  readonly due?: number
  readonly group?: string
  /** Each `key=value` between newlines, so that a filter matches whole labels. Absent for objects whose labels must not be readable. */
  readonly labels?: string
}

/**
 * The item of an object's current state. Its attributes beside the state are what indexes and filters read; `ttl` has
 * DynamoDB delete it some time after it has expired.
 */
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

/** Stays for a day after a deletion, so that no version from before it can be used to create the object again. */
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

/** The attributes of a head that has a due time. */
export const dueAttributes = (collection: string, place: string, due: number): Item => {
  const { duePk, dueSk } = dueKeys(collection, place, due)
  return { due: number(due), duePk: text(duePk), dueSk: text(dueSk) }
}

/** A day after the expiry: until then readers see from the item's own time that it has expired. */
export const timeToLive = (expires: number) => number(Math.ceil(expires / 1000) + 24 * 60 * 60)

/** The inverse of `headItem`; labels are only written, for filters. */
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

/** The object as the port returns it, with the body that belongs to the state. */
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
  /** Only places after this one. */
  readonly after: string
  /** The number of heads needed, if known. */
  readonly wanted?: number
  /** See ListQuery in the port. */
  readonly labels?: readonly (readonly string[])[]
}

/** Labels in the form of items; see `Head.labels`. */
export const labelsText = (labels: readonly string[]): string => `\n${labels.map(label => `${label}\n`).join('')}`

/** DynamoDB allows 300 operators per expression: terms with more labels are not filtered. */
const maxLabels = 50

/** Filters out, in DynamoDB, heads that are known to have none of the labels. */
const filterBy = (terms: readonly (readonly string[])[]): { filter: string; values: Item } | undefined => {
  const few = terms.filter(labels => labels.length <= maxLabels).slice(0, 4)
  if (few.length === 0) return undefined
  const values: Item = {}
  const having = few.map((labels, term) =>
    labels.map((label, index) => {
      const name = `:label${term}x${index}`
      values[name] = text(labelsText([label]))
      return `contains(#labels, ${name})`
    }),
  )
  // DynamoDB rejects redundant parentheses; AND binds tighter than OR.
  const all = having.map(either => (either.length > 1 ? `(${either.join(' OR ')})` : either[0])).join(' AND ')
  return { filter: `attribute_not_exists(#labels) OR ${all}`, values }
}

/** Heads of a collection in order: reads the shards in parallel and merges them. */
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
    // A little more than an equal share per shard, so that a second request is rarely needed.
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
