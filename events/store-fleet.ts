import { fieldsOf } from './event-error.ts'

/** A schedule sends this to the function `apiserver`. */
export const storeFleetRequest = { task: 'storeFleet' } as const

/** Whether an event is that request: events of function URLs have no field `task`. */
export const isStoreFleetRequest = (input: unknown): boolean =>
  fieldsOf('request to store the fleet', input).value('task') === storeFleetRequest.task
