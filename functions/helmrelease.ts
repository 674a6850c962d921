import { composeClusterProbes } from '../lib/compose/cluster-probes.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { composeHelmReleases } from '../lib/compose/helm-releases.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const clusters = composeClusters(hub.ports, hub.settings, hub.tokens)

/**
 * Installs, upgrades, tests, rolls back and uninstalls Helm releases, and probes clusters. Work that takes longer than a pass continues in a
 * later one.
 */
export const handler = stageHandler({
  reconcilers: [
    ...composeHelmReleases(hub.ports, hub.settings, hub, clusters),
    ...composeClusterProbes(hub.ports, hub, clusters),
  ],
})
