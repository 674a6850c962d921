import { awsTick } from '../lib/compose/aws/tick.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

/** Each minute: enqueues what comes due until the next one. */
export const handler = observedHandler(awsTick(hub))
