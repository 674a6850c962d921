import { composeClusters } from '../lib/compose/clusters.ts'
import { composeResourceSets } from '../lib/compose/resource-sets.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

/** Expands ResourceSets, and finds their inputs. */
export const handler = stageHandler(composeResourceSets(hub.ports, hub.settings, hub, composeClusters(hub.ports)))
