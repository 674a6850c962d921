import type { Context, SQSEvent } from 'aws-lambda'
import { isCompareRequest, parseCompareRequest } from '../events/compare.ts'
import { composeAppliers } from '../lib/compose/appliers.ts'
import { composeArtifactGenerators } from '../lib/compose/artifact-generators.ts'
import { handleComparison } from '../lib/compose/aws/comparison-function.ts'
import { helmByFunction } from '../lib/compose/aws/helm-charts-function.ts'
import { releasePlansByFunction } from '../lib/compose/aws/release-plans-function.ts'
import { wakeUpsOf } from '../lib/compose/aws/wake-ups.ts'
import { cloudKeys } from '../lib/compose/cloud-keys.ts'
import { composeClusterProbes } from '../lib/compose/cluster-probes.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { composeFluxInstances } from '../lib/compose/flux-instances.ts'
import { localPlugins } from '../lib/compose/local-plugins.ts'
import { composePullRequests } from '../lib/compose/pull-requests.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const { pluginGroups, pluginNetwork, enableHelm } = hub.settings
const plugins = pluginGroups.length > 0 ? await localPlugins(pluginNetwork) : undefined
const { hubName, region } = hub.environment
const invoked = (name: string) => ({ functionName: `${hubName}-${name}`, region, identity: hub.identity })
const helm = helmByFunction(hub.cloud, invoked('helmcharts'))
const planRelease = releasePlansByFunction(hub.cloud, invoked('helmrelease'))
const clusters = composeClusters(hub.ports, hub.settings, hub.tokens)
const ports = { ...hub.ports, cloudKeys: cloudKeys(hub.cloud), plugins, ...(enableHelm && { helm }) }

const stage = stageHandler({
  wakeUps: wakeUpsOf(hub),
  reconcilers: [
    ...composeAppliers(ports, hub.settings, hub, clusters),
    ...composeClusterProbes(hub.ports, hub, clusters),
    ...composeArtifactGenerators(ports, hub.settings, hub),
    ...composeFluxInstances(ports, hub.settings, hub),
    ...composePullRequests({ ...ports, wakeUps: wakeUpsOf(hub) }, hub.settings, hub, clusters, planRelease),
  ],
})

/** The code is loaded with the first comparison. */
const comparison = observedHandler(async (event: unknown) => {
  const { composeComparison } = await import('../lib/compose/comparison.ts')
  return handleComparison(composeComparison(hub.ports, hub.settings, hub, clusters), parseCompareRequest(event))
})

/**
 * Applies to clusters, prunes, and checks health; probes Clusters; makes the artifacts of ArtifactGenerators; follows the source of the FluxInstance; plans pull
 * requests. For `apiserver`, compares a unit with its cluster.
 */
export const handler = (event: unknown, context: Context): Promise<object> =>
  isCompareRequest(event) ? comparison(event, context) : stage(event as SQSEvent, context)
