import { parseEcrPush } from '../events/registry-push.ts'
import { askFollowers } from '../lib/webhook/registry-push.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

/** Takes pushes to Amazon ECR, for the OCIRepositories that follow them. */
export const handler = observedHandler(async (event: unknown) => {
  const push = parseEcrPush(event)
  return { asked: push ? await askFollowers({ ...hub.ports, hub: hub.hub }, push) : 0 }
})
