/** OCIRepository: a source whose artifact comes from an OCI registry. */

import { artifact } from './artifact.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns } from './flux.ts'
import type { Kind, PrinterColumn } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { credentialReferences } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, object, oneOf, optional, text, withDescription } from './schema/schema.ts'
import {
  cloudProvider,
  oidcIdentities,
  operationTimeout,
  signatureProvider,
  sourceKindFields,
  sourceStatus,
} from './source-fields.ts'

const reference = object('The artifact to fetch. Defaults to the tag `latest`.', {
  digest: optional(text('Digest of the artifact, `sha256:<hex>`; takes precedence over all others.')),
  semver: optional(text('Range of versions, of which the highest tag is used. Takes precedence over the tag.')),
  semverFilter: optional(text('Regular expression that filters the tags for semver.')),
  tag: optional(text('Tag of the artifact.')),
})

const layerSelector = object('The layer of the artifact to use, and how. Defaults to the first one.', {
  mediaType: optional(text('Media type of the layer. The first layer with this type is used.')),
  operation: optional(
    oneOf('Whether the layer is unpacked or stored unchanged. Defaults to `extract`.', ['extract', 'copy']),
  ),
})

const verification = object('Settings for the verification of the signatures of the artifact.', {
  provider: signatureProvider,
  secretRef: optional(localReference('Secret with the trusted public keys, or the trust policy and certificates.')),
  matchOIDCIdentity: optional(oidcIdentities),
  trustedRootSecretRef: optional(
    localReference(
      'Secret with the `trusted_root.json` of the trusted Sigstore services. Defaults to the public ones.',
    ),
  ),
})

const spec = object('Settings of the source.', {
  url: text('Address of the repository, `oci://<host>[:<port>]/<path>`, without tag or digest.', {
    pattern: '^oci://.*$',
  }),
  interval: duration('Interval at which to check for a new artifact.'),
  timeout: optional(operationTimeout('Timeout of the requests of one check.', { default: '60s' })),
  ref: optional(reference),
  layerSelector: optional(layerSelector),
  provider: optional(cloudProvider(['aws', 'azure', 'gcp'])),
  secretRef: optional(localReference('Secret with the credentials, in the format of image pull secrets.')),
  serviceAccountName: optional(
    text('ServiceAccount whose image pull secrets are used; with a cloud provider, the identity to act as.'),
  ),
  certSecretRef: optional(localReference('Secret with tls.crt and tls.key, and with ca.crt for the server.')),
  proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
  insecure: optional(flag('Allow requests to the registry without TLS.')),
  verify: optional(verification),
  ignore: optional(text('Patterns of files to exclude, in the format of .gitignore. Replaces the default patterns.')),
  suspend: optional(flag('Suspend reconciliation.')),
})

const observed = {
  ...sourceStatus,
  observedIgnore: optional(text('spec.ignore of the current artifact.')),
  observedLayerSelector: optional(withDescription('spec.layerSelector of the current artifact.', layerSelector)),
}

const status = object('The result of the last fetch.', observed, initialStatus)

const schema = object('An artifact in an OCI registry, as a source.', { spec, status: optional(status) })

const { properties: artifactProperties, ...artifactSchema } = artifact

/** For clients of v1beta2: including fields that were removed since. */
const oldStatus = object(
  'The result of the last fetch.',
  {
    ...observed,
    artifact: optional({
      ...artifactSchema,
      properties: { ...artifactProperties, checksum: text('SHA-256 of the file, in hexadecimal; see digest.') },
    } as typeof artifact),
    contentConfigChecksum: optional(text('No longer used.')),
  },
  initialStatus,
)

const oldSchema = object('An artifact in an OCI registry, as a source.', { spec, status: optional(oldStatus) })

export type OciRepository = KubernetesObject & TypeOf<typeof schema>
export type OciReference = TypeOf<typeof reference>

/** Adds the artifact's digest without the name of its algorithm, under its old name. */
const withChecksum = (object: OciRepository): KubernetesObject => {
  const artifact = object.status?.artifact
  if (!artifact) return object
  const checksum = artifact.digest.slice(artifact.digest.indexOf(':') + 1)
  return { ...object, status: { ...object.status, artifact: { ...artifact, checksum } } } as KubernetesObject
}

const columns: readonly PrinterColumn[] = [
  { name: 'URL', type: 'string', jsonPath: '.spec.url' },
  ...readyColumns,
  ageColumn,
]

export const ociRepository: Kind<OciRepository> = {
  ...sourceKindFields,
  kind: 'OCIRepository',
  plural: 'ocirepositories',
  singular: 'ocirepository',
  shortNames: ['ocirepo'],
  references: ({ spec }, find) => [...credentialReferences(spec, find), find.secret(spec?.verify?.secretRef)],
  versions: [
    { name: 'v1', storage: true, status: true, schema, columns },
    {
      name: 'v1beta2',
      storage: false,
      status: true,
      deprecated: 'v1beta2 OCIRepository is deprecated, upgrade to v1',
      schema: oldSchema,
      columns,
      convert: withChecksum,
    },
  ],
}
