/** Provider: a destination for events. */

import { ageColumn, localReference } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { credentialReferences } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, object, oneOf, optional, text } from './schema/schema.ts'

const types = [
  ...['slack', 'discord', 'msteams', 'rocket', 'generic', 'generic-hmac', 'github', 'gitlab', 'gitea'],
  ...['giteapullrequestcomment', 'bitbucketserver', 'bitbucket', 'azuredevops', 'googlechat', 'googlepubsub', 'webex'],
  ...['sentry', 'azureeventhub', 'telegram', 'lark', 'matrix', 'opsgenie', 'alertmanager', 'grafana', 'githubdispatch'],
  ...['githubpullrequestcomment', 'gitlabmergerequestcomment', 'pagerduty', 'datadog', 'nats', 'zulip', 'otel', 'zoom'],
  'incident.io',
] as const

const commitStatusRule =
  "self.type == 'github' || self.type == 'gitlab' || self.type == 'gitea' || self.type == 'bitbucketserver' || " +
  "self.type == 'bitbucket' || self.type == 'azuredevops' || !has(self.commitStatusExpr)"

const spec = object(
  'Destination of events.',
  {
    type: oneOf('Determines how events are sent.', types),
    interval: optional(text('No longer used.', { pattern: String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$` })),
    channel: optional(text('Channel, room or topic of the destination.', { maxLength: 2048 })),
    username: optional(text('User name of the sender.', { maxLength: 2048 })),
    address: optional(text('Address of the destination. May be set in the Secret instead.', { maxLength: 2048 })),
    timeout: optional(text('Timeout of one delivery.', { pattern: String.raw`^([0-9]+(\.[0-9]+)?(ms|s|m))+$` })),
    proxy: optional(text('No longer used: see proxySecretRef.', { maxLength: 2048, pattern: '^(http|https)://.*$' })),
    proxySecretRef: optional(localReference('Secret with the address of a proxy.')),
    secretRef: optional(localReference('Secret with the token, headers or address.')),
    serviceAccountName: optional(text('ServiceAccount whose cloud identity is used.')),
    certSecretRef: optional(localReference('Secret with certificates for TLS.')),
    suspend: optional(flag('Suspend the sending of events.')),
    commitStatusExpr: optional(text('CEL expression that names the commit status, over event, alert and provider.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message:
          "spec.commitStatusExpr is only supported for the 'github', 'gitlab', 'gitea', 'bitbucketserver', 'bitbucket', 'azuredevops' provider types",
        rule: commitStatusRule,
      },
    ],
  },
)

const schema = object('A destination for events.', { spec })

export type Provider = KubernetesObject & TypeOf<typeof schema>
export type ProviderType = (typeof types)[number]

export const provider: Kind<Provider> = {
  group: 'notification.toolkit.fluxcd.io',
  kind: 'Provider',
  plural: 'providers',
  singular: 'provider',
  shortNames: [],
  categories: ['all', 'fluxcd', 'fluxcd-notifications'],
  namespaced: true,
  hasGeneration: true,
  references: ({ spec }, find) => credentialReferences(spec, find),
  versions: [{ name: 'v1beta3', storage: true, schema, columns: [ageColumn] }],
}
