/** ImagePolicy: which tag of an image is the latest. */

import { durationMs } from './duration.ts'
import { ageColumn, duration, initialStatus, readyColumns, reconciledStatus } from './flux.ts'
import { imageKindFields, imageRef, resyncMs } from './image-fields.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { imageGroup } from './references.ts'
import type { TypeOf } from './schema/schema.ts'
import { flag, object, oneOf, optional, text, withDescription } from './schema/schema.ts'

const order = (description: string) => optional(oneOf(description, ['asc', 'desc'], { default: 'asc' }))

const policy = object('How tags are compared; one of the three.', {
  semver: optional(object('The highest version in a range.', { range: text('Range of versions: `>=1.0.0 <2.0.0`.') })),
  alphabetical: optional(
    object('The last tag in alphabetical order.', { order: order('`asc` chooses Z of A to Z, `desc` chooses A.') }),
  ),
  numerical: optional(object('The largest number.', { order: order('`asc` chooses 9 of 0 to 9, `desc` chooses 0.') })),
})

const tagFilter = object('Which tags are compared, and by which part.', {
  pattern: optional(text('Regular expression (RE2) that tags must match.')),
  extract: optional(text('What is compared instead of the tag: a template of the groups in the pattern, `$ts`.')),
})

const always = "self.digestReflectionPolicy == 'Always'"

const spec = object(
  'Which image, and how its latest tag is chosen.',
  {
    imageRepositoryRef: object('The ImageRepository whose tags are compared.', {
      name: text('Name of the referenced object.'),
      namespace: optional(text('Its namespace; that of this object when empty.')),
    }),
    policy,
    filterTags: optional(tagFilter),
    digestReflectionPolicy: optional(
      oneOf(
        'When the digest of the latest tag is looked up: never, once for each tag, or in each pass.',
        ['Always', 'IfNotPresent', 'Never'],
        { default: 'Never' },
      ),
    ),
    interval: optional(duration('Time between two lookups of the digest; for the policy `Always`.')),
    suspend: optional(flag('Suspend reconciliation.')),
  },
  {
    'x-kubernetes-validations': [
      {
        message: "spec.interval is only accepted when spec.digestReflectionPolicy is set to 'Always'",
        rule: `!has(self.interval) || (has(self.digestReflectionPolicy) && ${always})`,
      },
      {
        message: "spec.interval must be set when spec.digestReflectionPolicy is set to 'Always'",
        rule: "has(self.interval) || !has(self.digestReflectionPolicy) || self.digestReflectionPolicy != 'Always'",
      },
    ],
  },
)

const status = object(
  'The latest image.',
  {
    ...reconciledStatus,
    latestRef: optional(withDescription('The latest image.', imageRef)),
    observedPreviousRef: optional(withDescription('The latest image before that.', imageRef)),
  },
  initialStatus,
)

const schema = object('Which tag of an image is the latest.', { spec, status: optional(status) })

export type ImagePolicy = KubernetesObject & TypeOf<typeof schema>
export type TagPolicy = TypeOf<typeof policy>
export type TagFilter = TypeOf<typeof tagFilter>

export const imagePolicy: Kind<ImagePolicy> = {
  ...imageKindFields,
  kind: 'ImagePolicy',
  plural: 'imagepolicies',
  singular: 'imagepolicy',
  shortNames: ['imgpol', 'imagepol'],
  references: ({ spec }, find) => [
    find.object(spec?.imageRepositoryRef, { group: imageGroup, kind: 'ImageRepository' }),
  ],
  versions: [
    {
      name: 'v1',
      storage: true,
      status: true,
      schema,
      columns: [
        { name: 'Image', type: 'string', jsonPath: '.status.latestRef.name' },
        { name: 'Tag', type: 'string', jsonPath: '.status.latestRef.tag' },
        ...readyColumns,
        ageColumn,
      ],
    },
  ],
}

/** Milliseconds between two passes: only digests that are always looked up need an interval. */
export const intervalOf = ({ spec }: ImagePolicy): number =>
  spec.digestReflectionPolicy === 'Always' && spec.interval ? durationMs(spec.interval) : resyncMs
