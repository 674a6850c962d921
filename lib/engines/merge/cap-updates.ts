/** Keeps managedFields small: merges the oldest of many Update entries into one. */
import { compareText } from '../../foundations/go/compare-text.ts'
import { union } from './field-set.ts'
import type { Manager, Owners, Ownership } from './managed-fields.ts'
import { managerKey } from './managed-fields.ts'

/** Maximum number of Update entries per object. */
const maxUpdates = 10

/** Merges the oldest Update entries beyond the limit into one entry `ancient-changes` per version. */
export const capUpdates = (owners: Owners): Owners => {
  const updates = [...owners].filter(([, { operation }]) => operation === 'Update').sort(oldestFirst)
  const capped = new Map(owners)
  const firsts = new Map<string, string>()
  let count = updates.length
  for (const [key, owner] of updates) {
    if (count <= maxUpdates) break
    const { apiVersion } = owner
    const bucket: Manager = { manager: 'ancient-changes', operation: 'Update', apiVersion }
    const bucketKey = managerKey(bucket)
    const first = firsts.get(apiVersion)
    if (first === undefined) {
      firsts.set(apiVersion, key)
      continue
    }
    const merged = capped.get(bucketKey) ?? capped.get(first)!
    capped.delete(first)
    capped.delete(key)
    capped.set(bucketKey, {
      ...bucket,
      fields: union(owner.fields, merged.fields),
      ...(owner.time && { time: owner.time }),
    })
    count--
  }
  return capped
}

const oldestFirst = ([aKey, a]: [string, Ownership], [bKey, b]: [string, Ownership]): number =>
  compareText(a.time ?? '', b.time ?? '') || compareText(aKey, bKey)
