import { createHash } from 'node:crypto'
import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { collectionOf, refIn } from '../collection-name.ts'
import { type Key, type TableQuery, text } from './table.ts'
import { shards } from './table-shape.ts'

/**
 * The keys of items in the table. A namespace's name has no `#` and no character that sorts before it, so sort keys order objects by namespace,
 * then name.
 */

/** An object within its collection: `apps#podinfo`, and `#prod` for a cluster-scoped one. */
export const placeOf = ({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): string => `${namespace}#${name}`

/** The inverse of `collectionOf` and `placeOf`. */
export const refAt = (collection: string, place: string): ObjectRef => {
  const hash = place.indexOf('#')
  return refIn(collection, place.slice(0, hash), place.slice(hash + 1))
}

/** The current state of an object. */
export const headKey = (collection: string, place: string): Key => ({
  pk: headShard(collection, shardOf(place, shards.objects)),
  sk: place,
})

/** The partition with a shard of a collection's objects, `shard` from 0. */
export const headShard = (collection: string, shard: number): string => `head#${collection}#${shard}`

/** The object of a head's key; of the primary key, not of those of indexes. */
export const refOfHead = ({ pk, sk }: Key): ObjectRef => refAt(pk.slice('head#'.length, pk.lastIndexOf('#')), sk)

/** A change, by version. Consecutive versions go to different shards, so that a burst is spread evenly. */
export const changeKey = (collection: string, version: number): Key => ({
  pk: changeShard(collection, version % shards.log),
  sk: sortableNumber(version),
})

/** The partition with a shard of a collection's changes, `shard` from 0. */
export const changeShard = (collection: string, shard: number): string => `change#${collection}#${shard}`

/** The counter of a collection's versions. */
export const versionsKey = (collection: string): Key => ({ pk: `versions#${collection}`, sk: '-' })

/** The lease of an object, an item of its own: to take one must not change the object. */
export const leaseKey = (ref: ObjectRef): Key => ({ pk: `lease#${collectionOf(ref)}#${placeOf(ref)}`, sk: '-' })

/** An entry of the index of references: the object at this place refers to the target. */
export const referrerKey = (target: string, collection: string, place: string): Key => ({
  pk: referrersOf(target),
  sk: `${collection}#${place}`,
})

/** A target may be any text, but a key has at most 2 KB. */
export const referrersOf = (target: string): string => `referrers#${target.length <= 1000 ? target : sha256Hex(target)}`

/** The query for a target's referrers after a sort key, if given, and of one collection, if given. */
export const referrersAfter = (after: string | undefined, collection: string | undefined): Partial<TableQuery> => {
  if (collection === undefined)
    return after === undefined ? {} : { where: '#sk > :from', values: { ':from': text(after) } }
  // `!` sorts before all characters of names, `$` directly after the `#` that ends a collection.
  const from = after === undefined ? `${collection}#` : `${after}!`
  return { where: '#sk BETWEEN :from AND :to', values: { ':from': text(from), ':to': text(`${collection}$`) } }
}

/** The object of such an entry. */
export const refOfReferrer = ({ sk }: Pick<Key, 'sk'>): ObjectRef => {
  const hash = sk.indexOf('#')
  return refAt(sk.slice(0, hash), sk.slice(hash + 1))
}

/** The keys of an object in the due index. */
export const dueKeys = (collection: string, place: string, due: number): { duePk: string; dueSk: string } => ({
  duePk: dueShard(shardOf(`${collection}#${place}`, shards.due)),
  dueSk: `${sortableNumber(due)}#${collection}#${place}`,
})

/** A partition of the due index, over all collections, `shard` from 0. */
export const dueShard = (shard: number): string => `due#${shard}`

/** Numbers up to 2^53 as text in their order; negative ones count as 0. */
export const sortableNumber = (value: number): string => String(Math.max(0, Math.round(value))).padStart(16, '0')

const shardOf = (text: string, count: number): number =>
  createHash('sha256').update(text).digest().readUInt32BE() % count
