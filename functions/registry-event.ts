import { parseEcrPush } from '../events/registry-push.ts'
import { composeRegistryPush } from '../lib/compose/aws/registry-push.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

const ask = composeRegistryPush(hub.ports, hub)

/** Takes pushes to Amazon ECR, for the OCIRepositories that follow them. */
export const handler = observedHandler(async (event: unknown) => {
  const push = parseEcrPush(event)
  return { asked: push ? await ask(push) : 0 }
})
