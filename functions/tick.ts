import { awsTick } from '../lib/compose/aws/tick.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

/** Runs each minute: enqueues the objects that become due until the next run. */
export const handler = observedHandler(awsTick(hub))
