import { composeAppliers } from '../lib/compose/appliers.ts'
import { helmOnAws } from '../lib/compose/aws/helm-on-aws.ts'
import { cloudKeys } from '../lib/compose/cloud-keys.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { localPlugins } from '../lib/compose/local-plugins.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const { pluginGroups, pluginNetwork, enableHelm } = hub.settings
const plugins = pluginGroups.length > 0 ? await localPlugins(pluginNetwork) : undefined
const ports = { ...hub.ports, cloudKeys: cloudKeys(hub.cloud), plugins, ...(enableHelm && { helm: helmOnAws(hub) }) }

/** Applies to clusters, prunes, and looks at health. */
export const handler = stageHandler({
  reconcilers: composeAppliers(ports, hub.settings, hub, composeClusters(ports, hub.settings, hub.tokens)),
})
