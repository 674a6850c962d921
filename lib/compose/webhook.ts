import type { RequestHandler } from '../hub/apiserver/api-server.ts'
import { createReferences } from '../hub/references/references.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { createDeliveries } from '../signals/webhook/deliveries.ts'
import { createIdTokens } from '../signals/webhook/id-token.ts'
import { pathSalts } from '../signals/webhook/path-salts.ts'
import { receiverSecrets } from '../signals/webhook/receiver-secrets.ts'
import { webhookHandler } from '../signals/webhook/webhook.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Handles webhooks, at the paths below `/hook`. */
export const composeWebhook = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): RequestHandler => {
  const deliveries = createDeliveries(ports.objects, ports.clock)
  const idTokens = createIdTokens({
    fetch: guardedFetch(ports.connections),
    now: () => ports.clock.monotonic(),
    onStale: error => ports.log.error('failed to refresh the keys of an issuer, using the cached keys', { error }),
  })
  const salts = pathSalts(ports.objects, ports.random)
  return webhookHandler(
    {
      ...{ ...ports, hub, references: createReferences(hub), deliveries, idTokens, pathSalts: salts },
      receiverSecrets: receiverSecrets(ports),
    },
    settings,
  )
}
