import { type ObjectStore, StoreError } from '../../ports/objects.ts'
import type { VisitMember, Visits } from '../../ports/visits.ts'

/** Visits as records in the object store. */
export const storedVisits = (objects: Pick<ObjectStore, 'get' | 'commit'>): Visits => ({
  read: async ref => {
    const stored = await objects.get(ref)
    return stored && { members: JSON.parse(stored.body) as VisitMember[], due: stored.due, version: stored.version }
  },

  write: async (ref, { members, due = null }, expect) => {
    const record = { ref, body: JSON.stringify(members), refersTo: [], due }
    try {
      await objects.commit(expect === undefined ? { op: 'create', ...record } : { op: 'update', expect, ...record })
      return true
    } catch (error) {
      if (error instanceof StoreError && ['exists', 'missing', 'conflict'].includes(error.code)) return false
      throw error
    }
  },
})
