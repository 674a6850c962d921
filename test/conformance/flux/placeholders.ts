import { readFileSync } from 'node:fs'
import type { Cluster } from '../../bed/cluster.ts'
import type { ScenarioServer } from './servers/server.ts'
import type { Placeholders } from './texts.ts'

/** Takes up what servers have come to serve. */
export const takeUp = (placeholders: Placeholders, servers: readonly ScenarioServer[]): void => {
  for (const server of servers) for (const [name, value] of server.placeholders) placeholders.set(name, value)
}

/** What scenarios call a cluster's kubeconfig and its parts, `HUB` or `TARGET` before each. */
export const bedPlaceholders = (name: string, cluster: Cluster): [string, string][] => {
  const kubeconfig = readFileSync(cluster.kubeconfig, 'utf8')
  return [
    [`${name}_KUBECONFIG`, kubeconfig],
    [`${name}_SERVER`, cluster.server],
    [`${name}_HOST`, new URL(cluster.server).host],
    [`${name}_CA_DATA`, /certificate-authority-data: ?"?([\w+/=]+)/.exec(kubeconfig)?.[1] ?? ''],
  ]
}
