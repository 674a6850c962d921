import { readFileSync } from 'node:fs'
import type { Cluster } from '../../bed/cluster.ts'

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
