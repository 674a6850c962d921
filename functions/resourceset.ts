import { composeClusters } from '../lib/compose/clusters.ts'
import { composeImages } from '../lib/compose/images.ts'
import { registryLogin } from '../lib/compose/registry-login.ts'
import { composeResourceSets } from '../lib/compose/resource-sets.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const ports = { ...hub.ports, login: registryLogin(hub.cloud) }

/** Expands ResourceSets, finds their inputs, and scans images. */
export const handler = stageHandler({
  reconcilers: [
    ...composeResourceSets(ports, hub.settings, hub, composeClusters(ports, hub.settings, hub.tokens)),
    ...composeImages(ports, hub.settings, hub),
  ],
})
