import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunPlace, RunRecord, RunStore } from '../../ports/runs.ts'
import { sortableNumber } from './item-keys.ts'
import { bytes, type Item, type Key, number, numberOf, type Table, text, textOf } from './table.ts'

/**
 * An item per run in the partition of its namespace, in the order of time, and ones without content in the partitions of its unit and of each key: a
 * write unit for each of them and for a run of at most 1 KB, and one for each repeat. DynamoDB deletes them some time after they have expired.
 */
export const dynamoRuns = (table: Table, clock: Pick<Clock, 'now'>): RunStore => {
  const now = () => number(Math.floor(clock.now() / 1000))
  const isKept = (item: Item): boolean => numberOf(item, 'ttl')! > clock.now() / 1000

  const put = async (record: RunRecord): Promise<void> => {
    const { unit, alike, repeats, repeatedAt, body, facts } = record
    await table.put({
      ...attributes(keyOf(record), record.expires),
      unit: text(unit),
      body: bytes(body),
      ...(facts && { facts: text(facts) }),
      repeats: number(repeats),
      ...(alike !== undefined && { alike: text(alike) }),
      ...(repeatedAt !== undefined && { repeatedAt: number(repeatedAt) }),
    })
  }
  /** After the run itself, so that each points to one. */
  const point = async (record: RunRecord, by: readonly string[]): Promise<void> => {
    const { sk } = keyOf(record)
    await Promise.all(
      by.map(owner => table.put(attributes({ pk: partition(record.namespace, owner), sk }, record.expires))),
    )
  }
  const get = async (place: RunPlace): Promise<RunRecord | undefined> => {
    const item = await table.get(keyOf(place))
    return item && isKept(item) ? recordOf(item) : undefined
  }

  return {
    replace: async (record, moreKeys = []) => {
      await put(record)
      await point(record, moreKeys)
    },
    add: async (record, keys = []) => {
      await put(record)
      await point(record, [record.unit, ...keys])
    },
    repeat: async (place, at) => {
      await table.update({
        key: keyOf(place),
        update: 'SET #repeats = #repeats + :one, #repeatedAt = :at',
        condition: 'attribute_exists(#pk)',
        values: { ':one': number(1), ':at': number(at) },
      })
    },
    get,
    page: async ({ namespace, unit, key, facts = [], before, since = 0, limit }) => {
      const found: RunRecord[] = []
      const owner = unit ?? key
      // The items that point to runs have no facts.
      const filter = factsFilter(owner === undefined ? facts : [])
      const pointers: Key[] = []
      const query = {
        pk: partition(namespace, owner),
        where: '#sk BETWEEN :from AND :to',
        filter: ['#ttl > :now', ...filter.terms].join(' AND '),
        values: {
          ':from': text(sortableNumber(since)),
          ':to': text(before ? sortKey(before) : '~'),
          ':now': now(),
          ...filter.values,
        },
        // One more than the limit, as BETWEEN includes the upper end, which is skipped.
        ...(filter.terms.length === 0 && { pageSize: limit + 1 }),
        newestFirst: true,
      }
      for await (const item of table.query(query)) {
        if (before && textOf(item, 'sk') === sortKey(before)) continue
        if (owner === undefined) found.push(recordOf(item))
        else pointers.push({ pk: partition(namespace), sk: textOf(item, 'sk') })
        if (found.length + pointers.length === limit) break
      }
      const items = await Promise.all(pointers.map(key => table.get(key)))
      return [...found, ...items.flatMap(item => (item ? [recordOf(item)] : []))]
    },
  }
}

/** Selects items that have all of these facts, or none at all because an earlier version wrote them. */
const factsFilter = (facts: readonly string[]): { readonly terms: readonly string[]; readonly values: Item } => {
  if (facts.length === 0) return { terms: [], values: {} }
  const all = facts.map((_, at) => `contains(#facts, :fact${at})`).join(' AND ')
  const values = Object.fromEntries(facts.map((fact, at) => [`:fact${at}`, text(fact)]))
  return { terms: [`(attribute_not_exists(#facts) OR (${all}))`], values }
}

/** Names of namespaces hold no `#`. `owner` is a unit (`Kind/name`) or a key (`name=value`), of which a value may be longer than a key of the table. */
const partition = (namespace: string, owner?: string): string => {
  if (owner === undefined) return `runs#${namespace}`
  return `runs#${namespace}#${Buffer.byteLength(owner) <= 1_000 ? owner : sha256Hex(owner)}`
}

const sortKey = ({ startedAt, name }: Omit<RunPlace, 'namespace'>): string => `${sortableNumber(startedAt)}#${name}`

const keyOf = (place: RunPlace): Key => ({ pk: partition(place.namespace), sk: sortKey(place) })

const attributes = ({ pk, sk }: Key, expires: number): Item => ({
  pk: text(pk),
  sk: text(sk),
  ttl: number(Math.ceil(expires / 1000)),
})

const recordOf = (item: Item): RunRecord => {
  const [, namespace = ''] = textOf(item, 'pk').split('#')
  const [started, name = ''] = textOf(item, 'sk').split('#')
  const repeatedAt = numberOf(item, 'repeatedAt')
  return {
    namespace,
    startedAt: Number(started),
    name,
    unit: textOf(item, 'unit'),
    body: item.body!.B!,
    facts: item.facts?.S ?? '',
    repeats: numberOf(item, 'repeats') ?? 0,
    expires: numberOf(item, 'ttl')! * 1000,
    ...(item.alike && { alike: textOf(item, 'alike') }),
    ...(repeatedAt !== undefined && { repeatedAt }),
  }
}
