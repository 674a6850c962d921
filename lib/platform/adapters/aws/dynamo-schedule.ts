import type { DueObject, Schedule } from '../../ports/schedule.ts'
import { collectionOf } from '../collection-name.ts'
import { dueAttributes } from './heads.ts'
import { dueShard, headKey, placeOf, refOfHead, sortableNumber } from './item-keys.ts'
import { type Item, number, numberOf, type Table, text, textOf } from './table.ts'
import { shards, tableShape } from './table-shape.ts'

/**
 * Due times are attributes of the heads, and in the table's index of heads, which lags by moments: an object that is due now is found by the next
 * tick at the latest.
 */
export const dynamoSchedule = (table: Table): Schedule => {
  const [index] = tableShape.indexes

  const dueIn = (shard: number, pageSize: number, upTo?: number): AsyncGenerator<Item, void, undefined> =>
    table.query({
      pk: dueShard(shard),
      index,
      pageSize,
      ...(upTo !== undefined && { where: '#dueSk < :until', values: { ':until': text(sortableNumber(upTo + 1)) } }),
    })

  const earliest = (shard: number, limit: number, upTo?: number): Promise<DueObject[]> =>
    firstOf(dueIn(shard, limit, upTo), limit)

  const inAllShards = async (limit: number, upTo?: number): Promise<DueObject[]> => {
    const all = Array.from({ length: shards.due }, (_, shard) => earliest(shard, limit, upTo))
    return (await Promise.all(all))
      .flat()
      .sort((a, b) => a.due - b.due)
      .slice(0, limit)
  }

  return {
    dueBy: (time, limit) => inAllShards(limit, time),
    nextDue: async () => (await inAllShards(1))[0]?.due,

    dueOf: async ref => numberOf((await table.get(headKey(collectionOf(ref), placeOf(ref)))) ?? {}, 'due'),

    async *pagesDueBy(time, pageSize) {
      const perShard = Math.ceil(pageSize / shards.due)
      const readers = Array.from({ length: shards.due }, (_, shard) => inChunks(dueIn(shard, perShard, time), perShard))
      for (let open = readers; open.length > 0; ) {
        const read = await Promise.all(open.map(async reader => ({ reader, next: await reader.next() })))
        const page = read.flatMap(({ next }) => (next.done ? [] : next.value)).sort((a, b) => a.due - b.due)
        if (page.length > 0) yield page
        open = read.flatMap(({ reader, next }) => (next.done ? [] : [reader]))
      }
    },

    claim: async (ref, until, dueBy, dueAt) => {
      const collection = collectionOf(ref)
      const place = placeOf(ref)
      const set = Object.entries(dueAttributes(collection, place, until))
      const moved = await table.update({
        key: headKey(collection, place),
        update: `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`,
        condition: `attribute_exists(#pk) AND attribute_not_exists(#gone) AND ${
          dueAt === undefined ? '(attribute_not_exists(#due) OR #due <= :by)' : '#due = :by'
        }`,
        values: {
          ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
          ':by': number(dueAt ?? dueBy),
        },
      })
      return moved !== undefined
    },

    setDue: async (ref, due, { version, dueSeen } = {}) => {
      const collection = collectionOf(ref)
      const place = placeOf(ref)
      const set = due === undefined ? [] : Object.entries(dueAttributes(collection, place, due))
      const values: Item = Object.fromEntries(set.map(([name, value]) => [`:${name}`, value]))
      const move = (condition: string, more: Item = {}) =>
        table.update({
          key: headKey(collection, place),
          update:
            due === undefined
              ? 'REMOVE #due, #duePk, #dueSk'
              : `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')}`,
          condition: `attribute_exists(#pk) AND attribute_not_exists(#gone)${version === undefined ? '' : ' AND #version = :version'} AND ${condition}`,
          values: { ...values, ...more, ...(version !== undefined && { ':version': number(Number(version)) }) },
        })
      if (dueSeen === undefined) {
        await move('attribute_exists(#sk)')
        return
      }
      const seen = { ':seen': number(dueSeen) }
      if (await move('(attribute_not_exists(#due) OR #due = :seen)', seen)) return
      // Another due time has been set since: only an earlier one may replace it.
      if (due !== undefined) await move('#due > :due')
    },
  }
}

const dueObjectIn = (item: Item): DueObject => {
  const group = item.grp?.S
  return {
    ref: refOfHead({ pk: textOf(item, 'pk'), sk: textOf(item, 'sk') }),
    due: Number(textOf(item, 'dueSk').split('#', 1)[0]),
    ...(group !== undefined && { group }),
  }
}

const firstOf = async (items: AsyncIterable<Item>, limit: number): Promise<DueObject[]> => {
  const found: DueObject[] = []
  for await (const item of items) {
    found.push(dueObjectIn(item))
    if (found.length === limit) break
  }
  return found
}

/**
 * The next chunk starts where the last one ended in the index, so objects that were postponed in the meantime are not
 * read again.
 */
async function* inChunks(items: AsyncIterable<Item>, size: number): AsyncGenerator<DueObject[], void, undefined> {
  let chunk: DueObject[] = []
  for await (const item of items) {
    chunk.push(dueObjectIn(item))
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
