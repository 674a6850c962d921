import { parseSourceEvent } from '../events/source-event.ts'
import { composeSourceEvents } from '../lib/compose/aws/source-events.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

const reconcileFollowers = composeSourceEvents(hub.ports, hub)

/** Handles events of pushes to Amazon ECR and CodeCommit, and of objects in S3, for the sources that follow them. */
export const handler = observedHandler(async (event: unknown) => {
  const known = parseSourceEvent(event)
  return { requested: known ? await reconcileFollowers(known) : 0 }
})
