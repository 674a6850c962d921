import { type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { VisitMember, Visits } from '../../platform/ports/visits.ts'
import { lostAfterMs } from './lost-messages.ts'

const attempts = 5

/**
 * Has a visit look at members that have news, should their messages get lost: one write for all of them, where each would else get a due
 * time of its own, and lose it again after its pass. Resolves to those that are no members: they need one.
 */
export const wakeMembers = async (
  { visits, clock }: { readonly visits: Visits; readonly clock: Clock },
  visit: ObjectRef,
  refs: readonly ObjectRef[],
): Promise<readonly ObjectRef[]> => {
  const sought = new Set(refs.map(refKey))
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const record = await visits.read(visit)
    const isWoken = ({ ref }: VisitMember) => sought.has(refKey(ref))
    const woken = record?.members.filter(isWoken) ?? []
    if (!record || woken.length === 0) return refs
    const now = clock.now()
    // Another time than before, even twice in a moment: a visit that is under way must see that it knows less (see visits.ts).
    const dueOf = (before: number) => (before === now ? now - 1 : now)
    const members = record.members.map(member => (isWoken(member) ? { ...member, due: dueOf(member.due) } : member))
    // Their passes come first: with the visit a little later, it finds them done.
    if (await visits.write(visit, { members, due: now + lostAfterMs }, record.version)) {
      const known = new Set(woken.map(({ ref }) => refKey(ref)))
      return refs.filter(ref => !known.has(refKey(ref)))
    }
  }
  return refs
}
