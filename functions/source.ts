import { composeSources } from '../lib/compose/sources.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

/** Fetches and verifies sources, and stores their artifacts. */
export const handler = stageHandler(composeSources({ ...hub.ports, hub: hub.hub }, hub.settings))
