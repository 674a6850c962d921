import { type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { VisitMember, Visits } from '../../platform/ports/visits.ts'
import { lostAfterMs } from './lost-messages.ts'

const attempts = 5

/**
 * Makes a visit check members with news, in case their messages get lost: one write for all of them, instead of a due time for each, which would
 * be removed again after its pass. Resolves to those that are not members: they need a due time.
 */
export const wakeMembers = async (
  { visits, clock }: { readonly visits: Visits; readonly clock: Clock },
  visit: ObjectRef,
  refs: readonly ObjectRef[],
): Promise<readonly ObjectRef[]> => {
  const wanted = new Set(refs.map(refKey))
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const record = await visits.read(visit)
    const isWoken = ({ ref }: VisitMember) => wanted.has(refKey(ref))
    const woken = record?.members.filter(isWoken) ?? []
    if (!record || woken.length === 0) return refs
    const now = clock.now()
    // The time must change, even twice within a millisecond: a visit in progress must see that its data is outdated (see visits.ts).
    const dueOf = (before: number) => (before === now ? now - 1 : now)
    const members = record.members.map(member => (isWoken(member) ? { ...member, due: dueOf(member.due) } : member))
    // Their passes run first: the visit, a little later, finds them done.
    if (await visits.write(visit, { members, due: now + lostAfterMs }, record.version)) {
      const known = new Set(woken.map(({ ref }) => refKey(ref)))
      return refs.filter(ref => !known.has(refKey(ref)))
    }
  }
  return refs
}
