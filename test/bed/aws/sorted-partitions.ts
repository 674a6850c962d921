import type { Item } from './expressions.ts'

interface Entry {
  readonly key: string
  /** Of the key, in UTF-8: DynamoDB's order. */
  readonly bytes: Uint8Array
  readonly item: Item
}

/** Sort keys between which a condition looks; each end is open if it is not there. */
export interface KeyRange {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Items by partition, in the order of their sort keys. */
export const sortedPartitions = () => {
  const all = new Map<string, Entry[]>()
  const entriesOf = (pk: string): Entry[] => all.get(pk) ?? []
  const itemsOfAll = (): Item[] => [...all.values()].flatMap(entries => entries.map(({ item }) => item))
  return {
    get: (pk: string, sk: string): Item | undefined => {
      const entries = entriesOf(pk)
      const found = entries[firstFrom(entries, sk)]
      return found?.key === sk ? found.item : undefined
    },
    set: (pk: string, sk: string, item: Item | undefined): void => {
      const entries = entriesOf(pk)
      const at = firstFrom(entries, sk)
      const known = entries[at]?.key === sk ? 1 : 0
      const bytes = known === 1 ? entries[at]!.bytes : ownBytesOf(sk)
      entries.splice(at, known, ...(item ? [{ key: sk, bytes, item }] : []))
      all.set(pk, entries)
    },
    /** The items of a range, in order; also some after its end whose keys begin with that. */
    *within(pk: string, { from, to }: KeyRange, isBackward: boolean): Generator<readonly [string, Item]> {
      const entries = entriesOf(pk)
      const first = from === undefined ? 0 : firstFrom(entries, from)
      const end = to === undefined ? entries.length : firstFrom(entries, `${to}\u{10ffff}`)
      for (let at = first; at < end; at++) {
        const { key, item } = entries[isBackward ? first + end - 1 - at : at]!
        yield [key, item]
      }
    },
    all: itemsOfAll,
  }
}

/** Not of Node's pool, of which each key would keep a part alive that is far larger. */
const ownBytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

/** Index of the first entry whose key is this, or is after it. */
const firstFrom = (entries: readonly Entry[], key: string): number => {
  const bytes = Buffer.from(key)
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (Buffer.compare(entries[middle]!.bytes, bytes) < 0) low = middle + 1
    else high = middle
  }
  return low
}
