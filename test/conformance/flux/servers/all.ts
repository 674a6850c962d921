import type { Scenario } from '../scenario.ts'
import { serveGit } from './git.ts'
import { serveHelm } from './helm.ts'
import { serveOci } from './oci.ts'
import type { ScenarioServer, Serve } from './server.ts'

/** What can serve parts of a scenario: each looks at its own section. */
const servers: readonly Serve[] = [serveGit, serveOci, serveHelm]

/** Those that a scenario needs. */
export const startServers = async (scenario: Scenario): Promise<readonly ScenarioServer[]> =>
  (await Promise.all(servers.map(serve => serve(scenario)))).filter(server => server !== undefined)

/** Sections of a scenario that one of the servers serves. */
export const servedSections: readonly string[] = ['git', 'oci', 'helm']
