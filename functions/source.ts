import { registryLogin } from '../lib/compose/registry-login.ts'
import { composeSources } from '../lib/compose/sources.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const { hub: objects, tokens, fetchSecret } = hub
const ports = { ...hub.ports, hub: objects, tokens, fetchSecret, login: registryLogin(hub.cloud) }

/** Fetches and verifies sources, and stores their artifacts. */
export const handler = stageHandler(composeSources(ports, hub.settings))
