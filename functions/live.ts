import { parseLiveRequest } from '../events/live.ts'
import { awsLive } from '../lib/compose/aws/live.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

const respond = awsLive(hub)

/** Reads what is on clusters for a person, whom `apiserver` has authenticated. It writes no objects, neither there nor on the hub. */
export const handler = observedHandler((event: unknown) => respond(parseLiveRequest(event)))
