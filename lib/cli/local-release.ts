import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { ActionDeps, InstallRequest, UpgradeRequest } from '../clusters/helm-release/action.ts'
import { releaseStorage } from '../clusters/helm-release/storage.ts'
import { chartFunctions } from '../engines/helm/functions.ts'
import { newKey } from '../engines/template/certificates/private-key.ts'
import type { JsonValue } from '../engines/yaml/json-value.ts'
import type { Limits } from '../foundations/budget/budget.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import { type HelmRelease, helmRelease } from '../foundations/kinds/helm-release.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { composeValues } from '../reconcile/helm-release/compose-values.ts'
import { storageNamespaceOf } from '../reconcile/helm-release/names.ts'
import { installRequest, upgradeRequest } from '../reconcile/helm-release/requests.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import { targetCluster } from '../reconcile/helm-release/target-cluster.ts'
import type { Chart } from '../sources/helm/chart.ts'
import { CommandFailed } from './command-failed.ts'
import type { HubAccess } from './hub-access.ts'
import { lookupIn, referencesIn } from './local-build.ts'
import { checkedManifest, isOf, readDocuments } from './manifest-file.ts'
import { buildLimitsOption } from './option-values.ts'
import { chartFor } from './release-chart.ts'

// Shared by `build helmrelease` and `diff helmrelease`.

export interface LocalReleaseOptions {
  readonly path?: string
  readonly helmreleaseFile?: string
  readonly namespace: string
  readonly buildLimits: Limits
}

export const withLocalReleaseOptions = (command: Command): Command =>
  command
    .option('--path <path>', 'local folder or archive of the chart, instead of the one that the hub has fetched')
    .option('--helmrelease-file <file>', 'read the HelmRelease from this file instead of the hub')
    .addOption(buildLimitsOption())

/** The HelmRelease of a command: from the file, with its status in the hub, or from the hub. */
export const releaseNamed = async (
  name: string,
  { helmreleaseFile, namespace }: LocalReleaseOptions,
  hub: HubAccess | undefined,
): Promise<HelmRelease> => {
  const { group, kind } = helmRelease
  const ref = { group, kind, namespace, name }
  const live = (await hub?.cluster.get(apiVersionOf(helmRelease as unknown as Kind), ref, { signal: hub.signal })) as
    | HelmRelease
    | undefined
  if (helmreleaseFile) return { ...releaseIn(helmreleaseFile, name, namespace), ...(live && { status: live.status }) }
  if (live) return live
  throw new CommandFailed(`failed to get helmrelease object: helmreleases.${group} "${name}" not found`)
}

const releaseIn = (file: string, name: string, namespace: string): HelmRelease => {
  const kind = helmRelease as unknown as Kind
  const isNamed = (document: JsonValue): boolean => {
    const { metadata } = document as unknown as KubernetesObject
    return metadata?.name === name && (metadata.namespace ?? namespace) === namespace
  }
  const found = readDocuments(file).find(document => isOf(kind)(document) && isNamed(document))
  if (!found)
    throw new CommandFailed(`no HelmRelease with the name '${name}' and the namespace '${namespace}' in ${file}`)
  const { metadata, ...rest } = found as unknown as KubernetesObject
  const placed = { ...rest, metadata: { ...metadata, namespace } } as unknown as JsonValue
  return checkedManifest(file, kind, placed) as HelmRelease
}

export interface ReleaseRequests {
  readonly install: InstallRequest
  readonly upgrade: UpgradeRequest
}

/** The requests that the hub would make, and the cluster for them. Connects as the user of the command, not as the release's ServiceAccount. */
export const workOn = async (
  release: HelmRelease,
  options: LocalReleaseOptions,
  hub: HubAccess,
): Promise<{ readonly deps: ActionDeps; readonly requests: ReleaseRequests; readonly chart: Chart }> => {
  const { cluster: hubCluster, clusters, signal } = hub
  const references = referencesIn(lookupIn(hubCluster, signal))
  const chart = await chartFor(release, options.path, hub)
  const { serviceAccountName, ...spec } = release.spec
  const ports = { references, clusters, hubCluster: () => hubCluster, settings: defaultHelmReleaseSettings }
  const { cluster, namespace } = await orCommandFailed(() => targetCluster({ ...release, spec }, ports))
  const onCluster = { ...release, metadata: { ...release.metadata, namespace } }
  const storage = releaseStorage(cluster, storageNamespaceOf(onCluster), clock, { signal })
  const values = await orCommandFailed(() => composeValues(release, references))
  return {
    chart,
    deps: { cluster, storage, clock, signal },
    requests: requestsFor(onCluster, { chart, values }, options),
  }
}

export const requestsFor = (
  release: HelmRelease,
  wanted: Parameters<typeof upgradeRequest>[1],
  { buildLimits }: LocalReleaseOptions,
): ReleaseRequests => {
  const functions = chartFunctions({ now: Date.now, bytes: randomBytes, newKey })
  const settings = { buildLimits, helm3Defaults: false, functions }
  return { install: installRequest(release, wanted, settings), upgrade: upgradeRequest(release, wanted, settings) }
}

const clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: () => Promise.reject(new Error('previews never wait')),
}

/** Missing or invalid objects in the hub are for the user to fix. */
const orCommandFailed = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new CommandFailed((error as Error).message, { cause: error })
  }
}
