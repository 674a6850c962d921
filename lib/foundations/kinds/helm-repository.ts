/** HelmRepository: where Helm charts come from, a repository with an index or an OCI registry. */

import { accessFrom } from './access-from.ts'
import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, object, oneOf, optional, text } from './schema/schema.ts'
import { cloudProvider, operationTimeout, sourceKindFields, sourceStatus } from './source-fields.ts'

const spec = object('Address of the repository and credentials.', {
  url: text('Address of the repository, `http(s)://` or `oci://`.', { pattern: '^(http|https|oci)://.*$' }),
  type: optional(oneOf('`oci` for a registry. Defaults to a repository with an index.', ['default', 'oci'])),
  interval: optional(duration('Interval at which to check for a new index.')),
  timeout: optional(operationTimeout('Timeout of requests for the index or a chart. Defaults to 60s.')),
  provider: optional(cloudProvider(['aws', 'azure', 'gcp'])),
  secretRef: optional(
    localReference('Secret with username and password; for registries, also in the format of image pull secrets.'),
  ),
  certSecretRef: optional(localReference('Secret with tls.crt and tls.key, and with ca.crt for the server.')),
  passCredentials: optional(flag('Send the credentials also to other hosts that serve charts of the index.')),
  insecure: optional(flag('Allow requests to a registry without TLS.')),
  accessFrom: optional(accessFrom),
  suspend: optional(flag('Suspend reconciliation.')),
})

const status = object('The result of the last fetch.', sourceStatus, initialStatus)

const schema = object('A repository of Helm charts.', { spec, status: optional(status) })

export type HelmRepository = KubernetesObject & TypeOf<typeof schema>

export const helmRepository: Kind<HelmRepository> = {
  ...sourceKindFields,
  kind: 'HelmRepository',
  plural: 'helmrepositories',
  singular: 'helmrepository',
  shortNames: ['helmrepo'],
  references: ({ spec }, find) => [find.secret(spec?.secretRef), find.secret(spec?.certSecretRef)],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [{ name: 'URL', type: 'string', jsonPath: '.spec.url' }, ageColumn, ...readyColumns],
    },
  ],
}

/** Milliseconds between two checks of the index; a minute by default. */
export const intervalOf = ({ spec }: HelmRepository): number => durationMs(spec.interval ?? '1m')

/** A registry has no index, so there is nothing to reconcile. */
export const isRegistry = ({ spec }: HelmRepository): boolean => spec.type === 'oci'
