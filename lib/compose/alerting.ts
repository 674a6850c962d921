import { createReferences } from '../hub/references/references.ts'
import { guardedFetch } from '../platform/http/guarded-fetch.ts'
import { type Alerting, createAlerting } from '../signals/notify/alerting.ts'
import { createEventRecorder } from '../signals/notify/event-recorder.ts'
import type { createSenders } from '../signals/notify/senders/all.ts'
import type { ComposedHub } from './hub.ts'
import type { CoreSettings, Ports } from './platform.ts'

const noSenders: typeof createSenders = () => () => {
  throw new Error('notifications are delivered by another process')
}

/** Records events, and puts them into the outbox for the Providers of matching Alerts. */
export const composeAlerting = (
  ports: Ports,
  settings: CoreSettings,
  { hub }: Pick<ComposedHub, 'hub'>,
  senders: typeof createSenders = noSenders,
): Alerting => {
  const { clock, connections } = ports
  const cloud = { environment: {}, ...ports.identities, fetch: guardedFetch(connections), clock }
  const events = createEventRecorder({ hub, clock })
  const references = createReferences(hub)
  return createAlerting({ ...ports, hub, references, events, senders: senders(cloud) }, settings)
}
