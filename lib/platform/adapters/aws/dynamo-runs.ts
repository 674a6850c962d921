import type { Clock } from '../../ports/clock.ts'
import type { RunPlace, RunRecord, RunStore } from '../../ports/runs.ts'
import { sortableNumber } from './item-keys.ts'
import { bytes, type Item, type Key, number, numberOf, type Table, text, textOf } from './table.ts'

/**
 * An item per run in the partition of its namespace, in the order of time, and one without content in the partition of its unit: two write units for
 * a run of at most 1 KB, one for each repeat. DynamoDB deletes both some time after they have expired.
 */
export const dynamoRuns = (table: Table, clock: Pick<Clock, 'now'>): RunStore => {
  const now = () => number(Math.floor(clock.now() / 1000))
  const isKept = (item: Item): boolean => numberOf(item, 'ttl')! > clock.now() / 1000

  const replace = async (record: RunRecord): Promise<void> => {
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
  const get = async (place: RunPlace): Promise<RunRecord | undefined> => {
    const item = await table.get(keyOf(place))
    return item && isKept(item) ? recordOf(item) : undefined
  }

  return {
    replace,
    add: async record => {
      await replace(record)
      await table.put(attributes({ ...keyOf(record), pk: partition(record.namespace, record.unit) }, record.expires))
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
    page: async ({ namespace, unit, facts = [], before, since = 0, limit }) => {
      const found: RunRecord[] = []
      // The items of a unit's partition have no facts.
      const filter = factsFilter(unit === undefined ? facts : [])
      const pointers: Key[] = []
      const query = {
        pk: partition(namespace, unit),
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
        if (unit === undefined) found.push(recordOf(item))
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

/** Names of namespaces hold no `#`. */
const partition = (namespace: string, unit?: string): string =>
  unit === undefined ? `runs#${namespace}` : `runs#${namespace}#${unit}`

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
