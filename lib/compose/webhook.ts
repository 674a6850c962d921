import { createReferences } from '../hub/references/references.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { createDeliveryLog } from '../signals/webhook/delivery-log.ts'
import { createIdTokens } from '../signals/webhook/id-token.ts'
import { pathSalts } from '../signals/webhook/path-salts.ts'
import { createProcessedRequests } from '../signals/webhook/processed-requests.ts'
import { receiverSecrets } from '../signals/webhook/receiver-secrets.ts'
import { type WebhookHandler, webhookHandler } from '../signals/webhook/webhook.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Handles webhooks, at the paths below `/hook`. */
export const composeWebhook = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): WebhookHandler => {
  const idTokens = createIdTokens({
    fetch: guardedFetch(ports.connections),
    now: () => ports.clock.monotonic(),
    onStale: error => ports.log.error('failed to refresh the keys of an issuer, using the cached keys', { error }),
  })
  return webhookHandler(
    {
      ...{ ...ports, hub, references: createReferences(hub), idTokens },
      processed: createProcessedRequests(ports.deliveries, ports.clock),
      deliveryLog: createDeliveryLog(ports),
      pathSalts: pathSalts(ports.objects, ports.random),
      receiverSecrets: receiverSecrets(ports),
    },
    settings,
  )
}
