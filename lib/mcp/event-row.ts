import type { Event } from '../foundations/kinds/event.ts'
import { lastSeen } from '../hub-client/read-object.ts'

/** What an agent needs of an Event. */
export const eventRow = (event: Event) => {
  const { type, reason, message, count } = event
  return { type, reason, message, count, last: lastSeen(event) }
}
