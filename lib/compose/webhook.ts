import type { RequestHandler } from '../apiserver/api-server.ts'
import { guardedFetch } from '../http/guarded-fetch.ts'
import { createReferences } from '../references/references.ts'
import { createDeliveries } from '../webhook/deliveries.ts'
import { createIdTokens } from '../webhook/id-token.ts'
import { pathSalts } from '../webhook/path-salts.ts'
import { webhookHandler } from '../webhook/webhook.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Answers webhooks, at the paths below `/hook`. */
export const composeWebhook = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): RequestHandler => {
  const deliveries = createDeliveries(ports.objects, ports.clock)
  const idTokens = createIdTokens(guardedFetch(ports.connections))
  const salts = pathSalts(ports.objects, ports.random)
  return webhookHandler(
    { ...ports, hub, references: createReferences(hub), deliveries, idTokens, pathSalts: salts },
    settings,
  )
}
