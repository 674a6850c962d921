/** A stored version of a release in the form of `status.history`, with helm-controller's checksum (HR-102, HR-103). Pure. */

import type { Release, ReleaseHook } from '../../engines/helm/release/release.ts'
import { dependencyFields, metadataFields } from '../../engines/helm/release/stored-chart.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import { goJson, goString } from '../../engines/yaml/go-json.ts'
import type { JsonObject, JsonValue } from '../../engines/yaml/json-value.ts'
import type { ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'

export type SnapshotAction = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'uninstall-remediation'

interface Origin {
  readonly action?: string | undefined
  readonly ociDigest?: string | undefined
  readonly testHooks?: ReleaseSnapshot['testHooks']
}

/**
 * The snapshot of a stored version. `digest` covers what helm-controller checks to find out whether someone else has
 * changed the version since. `origin` is what only the status knows.
 */
export const snapshotOf = (release: Release, { action, ociDigest, testHooks }: Origin): ReleaseSnapshot => {
  const { name, version, namespace = '', info } = release
  const { first_deployed, last_deployed, deleted, status } = info
  const metadata = metadataOf(release)
  const config = fromJson(release.config ?? {}, { integers: 'float64' }) as ValueMap
  return {
    apiVersion: 'v2',
    digest: releaseDigest(release, ociDigest),
    name,
    namespace,
    version,
    status,
    ...(action && { action }),
    chartName: String(metadata.name ?? ''),
    chartVersion: String(metadata.version ?? ''),
    ...(metadata.appVersion !== undefined && { appVersion: String(metadata.appVersion) }),
    configDigest: valuesDigest(config),
    firstDeployed: seconds(first_deployed ?? ''),
    lastDeployed: seconds(last_deployed ?? ''),
    ...(deleted && { deleted: seconds(deleted) }),
    ...(testHooks && { testHooks }),
    ...(ociDigest && { ociDigest }),
  }
}

const metadataOf = ({ chart }: Release): JsonObject => (chart?.metadata ?? {}) as JsonObject

/** In metav1.Time's format. The schema rejects null, so a missing time is 1970; stored releases have both times. */
const seconds = (time: string): string => (time === '' ? '1970-01-01T00:00:00Z' : timestamp(Date.parse(time)))

/** `sha256:...` of the JSON line that Go writes for helm-controller's Observation. */
export const releaseDigest = (release: Release, ociDigest?: string): string => {
  const { name, version, info, config, manifest = '', hooks = [], namespace = '' } = release
  const own = hooks.filter(({ events = [] }) => !events.includes('test') && !events.includes('test-success'))
  const fields = [
    ['name', goString(name)],
    ['version', String(version)],
    ['info', inOrder(info as unknown as JsonObject, infoFields)],
    ['chartMetadata', chartMetadata(metadataOf(release))],
    ['config', config && Object.keys(config).length > 0 ? goJson(config) : 'null'],
    ['manifest', goString(manifest)],
    ['hooks', own.length > 0 ? `[${own.map(hookJson).join(',')}]` : 'null'],
    ['namespace', goString(namespace)],
    ...(ociDigest ? [['ociDigest', goString(ociDigest)]] : []),
  ]
  const line = `{${fields.map(([key, value]) => `"${key}":${value}`).join(',')}}\n`
  return sha256Digest(line)
}

const infoFields = ['first_deployed', 'last_deployed', 'deleted', 'description', 'status', 'rollback_revision', 'notes']

const maintainerFields = ['name', 'email', 'url']

const chartMetadata = (metadata: JsonObject): string =>
  inOrder(metadata, metadataFields, {
    maintainers: items => list(items, item => inOrder(item, maintainerFields)),
    dependencies: items => list(items, item => inOrder(item, dependencyFields)),
  })

const hookFields = [
  'name',
  'kind',
  'path',
  'manifest',
  'events',
  'last_run',
  'weight',
  'delete_policies',
  'output_log_policies',
]

const hookJson = (hook: ReleaseHook): string =>
  inOrder(hook as unknown as JsonObject, hookFields, {
    last_run: run => inOrder(run as JsonObject, ['started_at', 'completed_at', 'phase']),
  })

type Writers = Readonly<Record<string, (value: JsonValue) => string>>

/** An object as Go writes a struct: fields in their order, absent ones omitted. */
const inOrder = (object: JsonObject, order: readonly string[], writers: Writers = {}): string =>
  `{${order
    .filter(field => keptEmpty.includes(field) || !isEmpty(object[field]))
    .map(field => `"${field}":${(writers[field] ?? goJson)(object[field]!)}`)
    .join(',')}}`

/** Fields that Go writes even if empty. */
const keptEmpty = ['phase', 'last_run']

const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const list = (items: JsonValue, write: (item: JsonObject) => string): string =>
  `[${(items as readonly JsonObject[]).map(write).join(',')}]`
