import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { VisitMember, Visits } from '../../ports/visits.ts'
import { collectionOf } from '../collection-name.ts'
import { dueAttributes } from './heads.ts'
import { headKey, placeOf } from './item-keys.ts'
import { bytes, number, numberOf, type Table, text } from './table.ts'

/**
 * One item per visit, under the key of an object's head, so that the schedule can change its due time. It has no slots in the change log: visits
 * are not watched, and a commit would cost several times as much.
 */
export const dynamoVisits = (table: Table): Visits => ({
  read: async ref => {
    const item = await table.get(headKey(collectionOf(ref), placeOf(ref)))
    if (!item) return undefined
    const members = JSON.parse(zstdDecompressSync(item.members!.B!).toString()) as VisitMember[]
    return { members, due: numberOf(item, 'due'), version: String(numberOf(item, 'version')) }
  },

  write: async (ref, { members, due }, expect) => {
    const [collection, place] = [collectionOf(ref), placeOf(ref)]
    const { pk, sk } = headKey(collection, place)
    const item = {
      pk: text(pk),
      sk: text(sk),
      version: number(Number(expect ?? 0) + 1),
      members: bytes(zstdCompressSync(JSON.stringify(members))),
      grp: text(ref.name),
      ...(due !== undefined && dueAttributes(collection, place, due)),
    }
    if (expect === undefined) return table.put(item, { condition: 'attribute_not_exists(#pk)' })
    return table.put(item, { condition: '#version = :expect', values: { ':expect': number(Number(expect)) } })
  },
})
