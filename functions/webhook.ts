import { functionUrlClient, functionUrlResponse, parseFunctionUrlRequest } from '../events/function-url.ts'
import { composeWebhook } from '../lib/compose/webhook.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'

const handle = composeWebhook(hub.ports, hub.settings, hub)

/** Handles webhooks of forges and registries, at the paths in the status of Receivers. */
export const handler = observedHandler(async (event: unknown) =>
  functionUrlResponse(await handle(parseFunctionUrlRequest(event), functionUrlClient(event))),
)
