/** ImageRepository: an image in a registry whose tags are listed now and then. */

import { accessFrom } from './access-from.ts'
import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, localReference, readyColumns, reconciledStatus } from './flux.ts'
import { imageKindFields } from './image-fields.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { credentialReferences } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, integer, list, object, optional, text } from './schema/schema.ts'
import { cloudProvider, operationTimeout } from './source-fields.ts'

const defaultExclusionList = [String.raw`^.*\.sig$`]

const spec = object('Which image, and how its tags are listed.', {
  image: text('Name of the image, without scheme and tag: `ghcr.io/org/app`.'),
  interval: duration('Time between two scans.'),
  timeout: optional(operationTimeout('How long the requests of one scan may take; the interval when empty.')),
  secretRef: optional(localReference('Secret with the credentials, in the format of image pull secrets.')),
  proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
  serviceAccountName: optional(
    text('ServiceAccount whose image pull secrets are used; with a cloud provider, the identity to act as.', {
      maxLength: 253,
    }),
  ),
  certSecretRef: optional(localReference('Secret with tls.crt and tls.key, and with ca.crt for the server.')),
  suspend: optional(flag('Stop scanning. Tags of the last scan stay.')),
  accessFrom: optional(accessFrom),
  exclusionList: optional(
    list('Tags that match one of these are left out.', text('A regular expression (RE2).'), {
      default: defaultExclusionList,
      maxItems: 25,
    }),
  ),
  provider: optional(cloudProvider(['aws', 'azure', 'gcp'])),
  insecure: optional(flag('Whether the registry may be contacted without TLS.')),
})

const scanResult = object('The last scan.', {
  latestTags: optional(list('The first ten tags in descending alphabetical order.', text('A tag.'))),
  revision: optional(text('Checksum of the tags.')),
  scanTime: optional(text('When they were listed.', { format: 'date-time' })),
  tagCount: integer('Number of tags.'),
})

const status = object(
  'What the last scan found.',
  {
    ...reconciledStatus,
    canonicalImageName: optional(text('Name of the image with all parts: `index.docker.io/library/alpine`.')),
    lastScanResult: optional(scanResult),
    observedExclusionList: optional(list('spec.exclusionList of the last scan.', text('A regular expression.'))),
  },
  initialStatus,
)

const schema = object('An image whose tags are listed.', { spec, status: optional(status) })

export type ImageRepository = KubernetesObject & TypeOf<typeof schema>
export type ScanResult = TypeOf<typeof scanResult>

export const imageRepository: Kind<ImageRepository> = {
  ...imageKindFields,
  kind: 'ImageRepository',
  plural: 'imagerepositories',
  singular: 'imagerepository',
  shortNames: ['imgrepo', 'imagerepo'],
  references: ({ spec }, find) => credentialReferences(spec, find),
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [
        { name: 'Image', type: 'string', jsonPath: '.spec.image' },
        { name: 'Tags', type: 'string', jsonPath: '.status.lastScanResult.tagCount' },
        ...readyColumns,
        { name: 'Last scan', type: 'string', jsonPath: '.status.lastScanResult.scanTime', priority: 1 },
        ageColumn,
      ],
    },
  ],
}

/** Milliseconds between two scans. */
export const intervalOf = ({ spec }: ImageRepository): number => durationMs(spec.interval)

/** Milliseconds that the requests of one scan may take: at least a second. */
export const timeoutOf = ({ spec }: ImageRepository): number =>
  Math.max(1_000, durationMs(spec.timeout ?? spec.interval))

/**
 * Regular expressions of tags that a scan leaves out. Flux's default excludes cosign's signatures; it also applies when
 * the list is empty.
 */
export const exclusionListOf = ({ spec }: ImageRepository): readonly string[] =>
  spec.exclusionList && spec.exclusionList.length > 0 ? spec.exclusionList : defaultExclusionList
