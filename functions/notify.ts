import { composeReceivers } from '../lib/compose/receivers.ts'
import { createSenders } from '../lib/signals/notify/senders/all.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

/** Delivers notifications, and reconciles Receivers. */
export const handler = stageHandler({ reconcilers: composeReceivers(hub.ports, hub), senders: createSenders })
