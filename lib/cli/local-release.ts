import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import type { ActionDeps, InstallRequest, UpgradeRequest } from '../clusters/helm-release/action.ts'
import { releaseStorage } from '../clusters/helm-release/storage.ts'
import { chartFunctions } from '../engines/helm/functions.ts'
import { newKey } from '../engines/template/certificates/private-key.ts'
import type { Limits } from '../foundations/budget/budget.ts'
import { type HelmRelease, helmRelease } from '../foundations/kinds/helm-release.ts'
import type { TargetReference } from '../foundations/kinds/target-reference.ts'
import { composeValues } from '../reconcile/helm-release/compose-values.ts'
import { storageNamespaceOf } from '../reconcile/helm-release/names.ts'
import { installRequest, upgradeRequest } from '../reconcile/helm-release/requests.ts'
import { defaultHelmReleaseSettings } from '../reconcile/helm-release/settings.ts'
import { targetCluster } from '../reconcile/helm-release/target-cluster.ts'
import type { Chart } from '../sources/helm/chart.ts'
import type { HubAccess } from './hub-access.ts'
import { lookupIn, referencesIn } from './local-build.ts'
import { instantClock } from './local-plan.ts'
import { buildLimitsOption } from './option-values.ts'
import { orCommandFailed } from './or-command-failed.ts'
import { chartFor } from './release-chart.ts'
import { unitOrFile } from './unit-or-file.ts'

// Shared by `build helmrelease` and `diff helmrelease`.

export interface LocalReleaseOptions {
  readonly path?: string
  readonly helmreleaseFile?: string
  readonly namespace: string
  readonly buildLimits: Limits
}

/** Adds the options of `build helmrelease` and `diff helmrelease`. */
export const withLocalReleaseOptions = (command: Command): Command =>
  command
    .option('--path <path>', 'local folder or archive of the chart, instead of the one that the hub has fetched')
    .option('--helmrelease-file <file>', 'read the HelmRelease from this file instead of the hub')
    .addOption(buildLimitsOption())

/** The HelmRelease of a command: from the file, with its status in the hub, or from the hub. */
export const releaseNamed = (
  name: string,
  { helmreleaseFile: file, namespace }: LocalReleaseOptions,
  hub: HubAccess | undefined,
): Promise<HelmRelease> => unitOrFile(helmRelease, name, { file, namespace }, hub)

export interface ReleaseRequests {
  readonly install: InstallRequest
  readonly upgrade: UpgradeRequest
}

export interface LocalWork {
  readonly chart: Chart
  readonly deps: ActionDeps
  readonly requests: ReleaseRequests
  /** How the cluster is reached; absent for the hub. */
  readonly reference: TargetReference | undefined
}

/** The requests that the hub would make, and the cluster for them. Connects as the user of the command, not as the release's ServiceAccount. */
export const workOn = async (
  release: HelmRelease,
  options: LocalReleaseOptions,
  hub: HubAccess,
): Promise<LocalWork> => {
  const { cluster: hubCluster, clusters, signal } = hub
  const references = referencesIn(lookupIn(hubCluster, signal))
  const chart = await chartFor(release, options.path, hub)
  const { serviceAccountName, ...spec } = release.spec
  const ports = { references, clusters, hubCluster: () => hubCluster, settings: defaultHelmReleaseSettings }
  const { cluster, namespace, reference } = await orCommandFailed(() => targetCluster({ ...release, spec }, ports))
  const onCluster = { ...release, metadata: { ...release.metadata, namespace } }
  const storage = releaseStorage(cluster, storageNamespaceOf(onCluster), instantClock, { signal })
  const values = await orCommandFailed(() => composeValues(release, references))
  return {
    chart,
    reference,
    deps: { cluster, storage, clock: instantClock, signal },
    requests: requestsFor(onCluster, { chart, values }, options),
  }
}

/**
 * The install and the upgrade that the hub would make of a release with this chart and these values. The clock and the
 * random bytes of its templates are this machine's.
 */
export const requestsFor = (
  release: HelmRelease,
  wanted: Parameters<typeof upgradeRequest>[1],
  { buildLimits }: LocalReleaseOptions,
): ReleaseRequests => {
  const functions = chartFunctions({ now: Date.now, bytes: randomBytes, newKey })
  const settings = { buildLimits, helm3Defaults: false, functions }
  return { install: installRequest(release, wanted, settings), upgrade: upgradeRequest(release, wanted, settings) }
}
