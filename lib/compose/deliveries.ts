import type { ServedDeliveries } from '../hub/apiserver/call.ts'
import { deliveryReader } from '../hub/deliveries/delivery-reader.ts'
import { createReferences } from '../hub/references/references.ts'
import { createDeliveryLog } from '../signals/webhook/delivery-log.ts'
import { redelivery } from '../signals/webhook/redeliver.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

/** Deliveries as the API serves them, and how one is repeated. */
export const composeDeliveries = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
): ServedDeliveries => {
  const parts = { ...ports, hub, references: createReferences(hub), deliveryLog: createDeliveryLog(ports) }
  return { ...deliveryReader(parts), redeliver: redelivery(parts, settings) }
}
