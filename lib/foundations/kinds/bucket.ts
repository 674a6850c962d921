/** Bucket: a bucket of an object store whose objects become an artifact. */

import { ageColumn, duration, initialStatus, localReference, readyColumns } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { credentialReferences } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, object, oneOf, optional, text } from './schema/schema.ts'
import { cloudProvider, operationTimeout, sourceKindFields, sourceStatus } from './source-fields.ts'

const tokenService = object('A service that issues temporary credentials.', {
  provider: oneOf('Protocol of the service.', ['aws', 'ldap']),
  endpoint: text('Address of the service.', { pattern: '^(http|https)://.*$' }),
  secretRef: optional(localReference('Secret with username and password; for ldap.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt; for ldap.')),
})

const spec = object(
  'Settings of the source.',
  {
    provider: optional(cloudProvider(['aws', 'gcp', 'azure'])),
    bucketName: text('Name of the bucket.'),
    endpoint: text('Host and optional port of the object store; for azure its URL.'),
    sts: optional(tokenService),
    insecure: optional(flag('Allow requests to the object store without TLS.')),
    region: optional(text('Region of the bucket.')),
    prefix: optional(text('Prefix of the names of the objects to fetch.')),
    secretRef: optional(localReference('Secret with the credentials.')),
    serviceAccountName: optional(text('ServiceAccount whose identity to use with clouds.')),
    certSecretRef: optional(localReference('Secret with tls.crt and tls.key, and with ca.crt for the server.')),
    proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
    interval: duration('Interval at which to check for changes.'),
    timeout: optional(operationTimeout('Timeout of the requests of one check.', { default: '60s' })),
    ignore: optional(text('Patterns of files to exclude, in the format of .gitignore. Replaces the default patterns.')),
    suspend: optional(flag('Suspend reconciliation.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: "STS configuration is only supported for the 'aws' and 'generic' Bucket providers",
        rule: "self.provider == 'aws' || self.provider == 'generic' || !has(self.sts)",
      },
      {
        message: "'aws' is the only supported STS provider for the 'aws' Bucket provider",
        rule: "self.provider != 'aws' || !has(self.sts) || self.sts.provider == 'aws'",
      },
      {
        message: "'ldap' is the only supported STS provider for the 'generic' Bucket provider",
        rule: "self.provider != 'generic' || !has(self.sts) || self.sts.provider == 'ldap'",
      },
      {
        message: "spec.sts.secretRef is not required for the 'aws' STS provider",
        rule: "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.secretRef)",
      },
      {
        message: "spec.sts.certSecretRef is not required for the 'aws' STS provider",
        rule: "!has(self.sts) || self.sts.provider != 'aws' || !has(self.sts.certSecretRef)",
      },
      {
        message: "ServiceAccountName is not supported for the 'generic' Bucket provider",
        rule: "self.provider != 'generic' || !has(self.serviceAccountName)",
      },
      {
        message: 'cannot set both .spec.secretRef and .spec.serviceAccountName',
        rule: '!has(self.secretRef) || !has(self.serviceAccountName)',
      },
    ],
  },
)

const status = object(
  'The result of the last fetch.',
  { ...sourceStatus, observedIgnore: optional(text('spec.ignore of the current artifact.')) },
  initialStatus,
)

const schema = object('A bucket whose objects become an artifact.', { spec, status: optional(status) })

export type Bucket = KubernetesObject & TypeOf<typeof schema>

export const bucket: Kind<Bucket> = {
  ...sourceKindFields,
  kind: 'Bucket',
  plural: 'buckets',
  singular: 'bucket',
  shortNames: [],
  references: ({ spec }, find) => [
    ...credentialReferences(spec, find),
    find.secret(spec?.sts?.secretRef),
    find.secret(spec?.sts?.certSecretRef),
  ],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [{ name: 'Endpoint', type: 'string', jsonPath: '.spec.endpoint' }, ageColumn, ...readyColumns],
    },
  ],
}
