/** Delivery: one call of a webhook, and what it set off. Read-only, from the hub's record. Keelson's own kind. */
import { formatDuration } from './duration.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { recordKindFields } from './record-kind.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, object, oneOf, optional, text } from './schema/schema.ts'

/**
 * Triggered: objects were requested to reconcile. Ping: a test event. Duplicate: the request was processed before.
 * Ignored: an event that the Receiver does not select. Refused: the sender was not verified. Failed: an object could
 * not be requested, or a filter failed. Unavailable: the Receiver was suspended or not ready.
 */
export const deliveryResults = [
  'Triggered',
  'Ping',
  'Duplicate',
  'Ignored',
  'Refused',
  'Failed',
  'Unavailable',
] as const

/** What a sender is verified by. */
export const verificationMethods = ['Signature', 'Token', 'IdentityToken', 'Authorization', 'Path'] as const

const target = object('An object that was requested to reconcile.', {
  apiVersion: text('API version of the object.'),
  kind: text('Kind of the object.'),
  namespace: text('Namespace of the object.'),
  name: text('Name of the object.'),
  ready: optional(flag('Whether it was ready after the pass that the request caused. Absent until then.')),
  reason: optional(text('Reason of its condition Ready at that time.')),
  revision: optional(text('Revision that it had at that time.')),
  readyAfterMs: optional(integer('Milliseconds from the call to the end of that pass.', { format: 'int64' })),
})

const schema = object('The record of a call of a webhook.', {
  receiver: object('The Receiver that was called.', {
    name: text('Name of the Receiver.'),
    type: text('Type of the Receiver.'),
  }),
  event: optional(text('Event that the sender names.')),
  id: optional(text('Identifier that the sender has given the delivery.')),
  sender: optional(text('User whose action caused the call, according to the payload.')),
  remoteAddress: optional(text('Address that the call came from, which may be that of a proxy.')),
  headers: list(
    'Headers of the request, without secrets.',
    object('A header.', {
      name: text('Name in lower case.'),
      value: text('Value; `***` if it may be a secret.'),
    }),
  ),
  bodyBytes: integer('Size of the body in bytes.', { format: 'int64' }),
  verification: object('Verification of the sender.', {
    verified: flag('Whether the sender was verified.'),
    method: oneOf('What senders are verified by.', verificationMethods),
    message: optional(text('Why the sender was refused.')),
  }),
  result: oneOf('Result of the call.', deliveryResults),
  status: integer('Status code of the response.'),
  message: text('Text of the response.'),
  push: optional(
    object('The push that the payload describes.', {
      repositories: list('Addresses of the repository.', text('Host and path.')),
      versions: list(
        'Pushed branches and tags.',
        object('A branch or tag.', {
          name: text('Name of the branch or tag.'),
          content: optional(text('Its new commit or digest.')),
        }),
      ),
    }),
  ),
  objects: optional(list('Objects that were requested to reconcile.', target)),
  moreObjects: optional(integer('Number of requested objects that are not listed.')),
  redelivers: optional(text('Name of the delivery that this one repeats.')),
  redeliveredBy: optional(text('User who requested the redelivery.')),
  startedAt: text('Time of the call.', { format: 'date-time' }),
  durationMs: integer('Milliseconds until the response.', { format: 'int64' }),
})

export type Delivery = KubernetesObject & TypeOf<typeof schema>
/** The stored fields of a delivery; outcomes of its objects are stored beside it. */
export type DeliveryContent = TypeOf<typeof schema>

/** `1/2` objects are ready, or `2 in 1.2s` if all are. Empty if none was requested. */
export const readinessOf = ({ objects = [], moreObjects = 0 }: Delivery): string => {
  const ready = objects.filter(found => found.ready)
  const count = objects.length + moreObjects
  if (count === 0) return ''
  if (ready.length < objects.length) return `${ready.length}/${count}`
  return `${count} in ${formatDuration(Math.max(...ready.map(({ readyAfterMs = 0 }) => readyAfterMs)))}`
}

export const delivery: Kind<Delivery> = {
  ...recordKindFields,
  kind: 'Delivery',
  plural: 'deliveries',
  singular: 'delivery',
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      selectable: ['.receiver.name', '.event', '.result', '.sender', '.id'],
      columns: [
        { name: 'Age', type: 'date', jsonPath: '.startedAt' },
        { name: 'Receiver', type: 'string', jsonPath: '.receiver.name' },
        { name: 'Event', type: 'string', jsonPath: '.event' },
        { name: 'Result', type: 'string', jsonPath: '.result' },
        { name: 'Ready', type: 'string', cell: readinessOf },
        { name: 'Sender', type: 'string', jsonPath: '.sender', priority: 1 },
        { name: 'From', type: 'string', jsonPath: '.remoteAddress', priority: 1 },
        { name: 'Message', type: 'string', jsonPath: '.message', priority: 1 },
      ],
    },
  ],
}
