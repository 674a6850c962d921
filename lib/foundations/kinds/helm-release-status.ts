/** A HelmRelease's status: the versions of its release, and the last attempt. */
import { inventory } from './applied.ts'
import { initialStatus, reconciledStatus } from './flux.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, list, map, object, oneOf, optional, text } from './schema/schema.ts'

const time = (description: string) => text(description, { format: 'date-time' })
const count = (description: string) => integer(description, { format: 'int64' })

const testHook = object('How a test went.', {
  lastStarted: optional(time('When it was last started.')),
  lastCompleted: optional(time('When it last ended.')),
  phase: optional(text('How it ended.')),
})

const snapshot = object('A version of the release, as it was stored.', {
  apiVersion: optional(text('Version of this form.')),
  digest: text('Checksum of the stored release, as `<algorithm>:<hex>`.'),
  name: text('Name of the release.'),
  namespace: text('Namespace of the release.'),
  version: integer('Version of the release.'),
  status: text('Status of the release.'),
  action: optional(text('Action that made this version.')),
  chartName: text('Name of the chart.'),
  chartVersion: text('Version of the chart.'),
  appVersion: optional(text('Version of what the chart installs.')),
  configDigest: text('Checksum of the values, as `<algorithm>:<hex>`.'),
  firstDeployed: time('When the release was first deployed.'),
  lastDeployed: time('When the release was last deployed.'),
  deleted: optional(time('When the release was deleted.')),
  testHooks: optional(map('How its tests went, by name.', testHook)),
  ociDigest: optional(text('Digest of the OCI artifact that held the chart.')),
})

export const helmReleaseStatus = object(
  'What was last released.',
  {
    ...reconciledStatus,
    observedPostRenderersDigest: optional(text('Checksum of the post-renderers of the last release.')),
    observedCommonMetadataDigest: optional(text('Checksum of the common metadata of the last release.')),
    lastAttemptedGeneration: optional(count('Generation that was last tried.')),
    helmChart: optional(text('`namespace/name` of the HelmChart that was made.')),
    storageNamespace: optional(text('Namespace that the release is stored in.', { minLength: 1, maxLength: 63 })),
    history: optional(list('The last versions of the release, the newest first.', snapshot)),
    inventory: optional(inventory),
    lastAttemptedReleaseAction: optional(oneOf('Action that was last tried.', ['install', 'upgrade'])),
    lastAttemptedReleaseActionDuration: optional(text('How long that action took.')),
    failures: optional(count('Failures since the last success.')),
    installFailures: optional(count('Failed installations since the last success.')),
    upgradeFailures: optional(count('Failed upgrades since the last success.')),
    lastAttemptedRevision: optional(text('Version of the chart that was last tried.')),
    lastAttemptedRevisionDigest: optional(text('Digest of the OCI artifact that was last tried.')),
    lastAttemptedValuesChecksum: optional(text('Deprecated: see lastAttemptedConfigDigest.')),
    lastAttemptedConfigDigest: optional(text('Checksum of the values that were last tried.')),
    lastReleaseRevision: optional(integer('Deprecated: see history.')),
    lastHandledForceAt: optional(text('Value of the annotation reconcile.fluxcd.io/forceAt that was last acted upon.')),
    lastHandledResetAt: optional(text('Value of the annotation reconcile.fluxcd.io/resetAt that was last acted upon.')),
  },
  initialStatus,
)

export type HelmReleaseStatus = TypeOf<typeof helmReleaseStatus>
export type ReleaseSnapshot = TypeOf<typeof snapshot>
