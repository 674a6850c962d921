/** A HelmRelease's status: the versions of its release, and the last attempt. */
import { inventory } from './applied.ts'
import { initialStatus, reconciledStatus } from './flux.ts'
import type { TypeOf } from './schema/schema.ts'
import { integer, list, map, object, oneOf, optional, text } from './schema/schema.ts'

const time = (description: string) => text(description, { format: 'date-time' })
const count = (description: string) => integer(description, { format: 'int64' })

const testHook = object('Result of a test.', {
  lastStarted: optional(time('Time of the last start.')),
  lastCompleted: optional(time('Time of the last end.')),
  phase: optional(text('Result.')),
})

const snapshot = object('A stored version of the release.', {
  apiVersion: optional(text('Version of the field format.')),
  digest: text('Checksum of the stored release, as `<algorithm>:<hex>`.'),
  name: text('Name of the release.'),
  namespace: text('Namespace of the release.'),
  version: integer('Version of the release.'),
  status: text('Status of the release.'),
  action: optional(text('Action that made this version.')),
  chartName: text('Name of the chart.'),
  chartVersion: text('Version of the chart.'),
  appVersion: optional(text('Version of the application that the chart installs.')),
  configDigest: text('Checksum of the values, as `<algorithm>:<hex>`.'),
  firstDeployed: time('When the release was first deployed.'),
  lastDeployed: time('When the release was last deployed.'),
  deleted: optional(time('When the release was deleted.')),
  testHooks: optional(map('Results of its tests, by name.', testHook)),
  ociDigest: optional(text('Digest of the OCI artifact with the chart.')),
})

export const helmReleaseStatus = object(
  'The state of the release.',
  {
    ...reconciledStatus,
    observedPostRenderersDigest: optional(text('Checksum of the post-renderers of the last release.')),
    observedCommonMetadataDigest: optional(text('Checksum of the common metadata of the last release.')),
    lastAttemptedGeneration: optional(count('Generation that was last tried.')),
    helmChart: optional(text('`namespace/name` of the created HelmChart.')),
    storageNamespace: optional(text('Namespace in which the release is stored.', { minLength: 1, maxLength: 63 })),
    history: optional(list('History of the release, the newest version first.', snapshot)),
    inventory: optional(inventory),
    lastAttemptedReleaseAction: optional(oneOf('Last attempted action.', ['install', 'upgrade'])),
    lastAttemptedReleaseActionDuration: optional(text('Duration of that action.')),
    failures: optional(count('Failures since the last success.')),
    installFailures: optional(count('Failed installations since the last success.')),
    upgradeFailures: optional(count('Failed upgrades since the last success.')),
    lastAttemptedRevision: optional(text('Last attempted version of the chart.')),
    lastAttemptedRevisionDigest: optional(text('Digest of the last attempted OCI artifact.')),
    lastAttemptedValuesChecksum: optional(text('Deprecated: see lastAttemptedConfigDigest.')),
    lastAttemptedConfigDigest: optional(text('Checksum of the last attempted values.')),
    lastReleaseRevision: optional(integer('Deprecated: see history.')),
    lastHandledForceAt: optional(text('Last handled value of the annotation reconcile.fluxcd.io/forceAt.')),
    lastHandledResetAt: optional(text('Last handled value of the annotation reconcile.fluxcd.io/resetAt.')),
  },
  initialStatus,
)

export type HelmReleaseStatus = TypeOf<typeof helmReleaseStatus>
export type ReleaseSnapshot = TypeOf<typeof snapshot>
