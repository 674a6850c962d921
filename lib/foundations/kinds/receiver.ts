/** Receiver: a webhook address that triggers reconciliations. */

import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import type { Kind } from './kind.ts'
import { notificationReference } from './notification-reference.ts'
import type { KubernetesObject, ObjectRef } from './object.ts'
import { groupOfFluxKind } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, list, object, oneOf, optional, text } from './schema/schema.ts'

const target = object('Objects to reconcile.', {
  ...notificationReference,
  filter: optional(text('CEL expression over `res` and `req` that filters these objects.')),
})

const oidcProvider = object('A trusted issuer of tokens.', {
  issuerURL: text('Address of the issuer, equal to the claim `iss`.', { pattern: '^https?://' }),
  audience: optional(text('Expected claim `aud`. Defaults to `notification-controller`.')),
  variables: optional(
    list(
      'Named values for the validations, computed in order.',
      object('A named value.', {
        name: text('Name, used as `vars.<name>`.'),
        expression: text('CEL expression over `claims` and the variables before it.'),
      }),
    ),
  ),
  validations: list(
    'Conditions under which a token is accepted.',
    object('One condition.', {
      expression: text('CEL expression over `claims` and `vars`.'),
      message: text('Message for the caller if the expression is false.'),
    }),
    { minItems: 1 },
  ),
})

const spec = object(
  'Senders and targets of the webhook.',
  {
    type: oneOf('Type of the sender, which determines how a request is verified and parsed.', [
      'generic',
      'generic-hmac',
      'generic-oidc',
      'github',
      'gitlab',
      'bitbucket',
      'harbor',
      'dockerhub',
      'quay',
      'gcr',
      'nexus',
      'acr',
      'cdevents',
    ]),
    interval: optional(duration('Interval at which the Receiver itself is reconciled.', { default: '10m' })),
    events: optional(list('Events to handle. Defaults to all.', text('Name of an event, such as `push`.'))),
    resources: list('Objects to reconcile.', target),
    resourceFilter: optional(text('CEL expression over `res` and `req` that filters all objects.')),
    secretRef: optional(localReference('Secret whose `token` verifies requests; not for generic-oidc.')),
    oidcProviders: optional(
      list('Issuers whose tokens authenticate requests; for generic-oidc.', oidcProvider, {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['issuerURL'],
      }),
    ),
    suspend: optional(flag('Suspend the handling of requests.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'generic-oidc receivers must define at least one oidcProvider',
        rule: "self.type != 'generic-oidc' || (has(self.oidcProviders) && size(self.oidcProviders) > 0)",
      },
      {
        message: 'oidcProviders can only be set when type is generic-oidc',
        rule: "self.type == 'generic-oidc' || !has(self.oidcProviders) || size(self.oidcProviders) == 0",
      },
      {
        message: 'secretRef cannot be set when type is generic-oidc',
        rule: "self.type != 'generic-oidc' || !has(self.secretRef)",
      },
      {
        message: 'secretRef is required when type is not generic-oidc',
        rule: "self.type == 'generic-oidc' || has(self.secretRef)",
      },
    ],
  },
)

const status = object(
  'Address of the webhook.',
  {
    ...reconciledStatus,
    webhookPath: optional(text('Path to send requests to: `/hook/<sha256 of token, name and namespace>`.')),
  },
  initialStatus,
)

const schema = object('A webhook address that triggers reconciliations.', { spec, status: optional(status) })

export type Receiver = KubernetesObject & TypeOf<typeof schema>
export type ReceiverType = Receiver['spec']['type']
export type ReceiverTarget = TypeOf<typeof target>

export const receiver: Kind<Receiver> = {
  group: 'notification.toolkit.fluxcd.io',
  kind: 'Receiver',
  plural: 'receivers',
  singular: 'receiver',
  shortNames: [],
  categories: ['all', 'fluxcd', 'fluxcd-notifications'],
  namespaced: true,
  hasGeneration: true,
  references: ({ spec, status }, find) => [
    find.secret(spec?.secretRef),
    ...(spec?.resources ?? []).map(resource => find.object(resource, { group: groupOfFluxKind(resource.kind) })),
    status?.webhookPath ? [webhookPathRef(status.webhookPath)] : [],
  ],
  versions: [{ name: 'v1', storage: true, status: true, schema, columns: [ageColumn, ...readyColumns] }],
}

/** Milliseconds between two reconciliations of the Receiver itself. */
export const intervalOf = (object: Receiver): number => durationMs(object.spec.interval ?? '10m')

/**
 * A name for a webhook path in the index of references: the Receiver with that path refers to it, so that one of thousands is found without
 * reading the others.
 */
export const webhookPathRef = (path: string): ObjectRef => ({
  group: 'notification.toolkit.fluxcd.io',
  kind: 'WebhookPath',
  namespace: '',
  name: path,
})
