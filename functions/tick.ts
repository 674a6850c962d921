import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

/** Each minute: enqueues what comes due until the next one. */
export const handler = observedHandler(async () => {
  await hub.tick()
})
