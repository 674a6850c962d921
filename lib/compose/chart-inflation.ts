import { randomBytes } from 'node:crypto'
import type { Helm, PullChart } from '../engines/kustomize/generators/helm.ts'
import { newKey } from '../engines/template/certificates/private-key.ts'
import { loopbackRanges } from '../foundations/rules/address-policy.ts'
import { systemClock } from '../platform/adapters/embedded/system-clock.ts'
import type { Connections } from '../platform/http/connections.ts'
import { inflateChart } from '../sources/helm/inflate-chart.ts'
import { pullChart } from '../sources/helm/pull-chart.ts'
import { ociClient } from '../sources/oci/oci-client.ts'
import { composeCloud } from './cloud.ts'

const certifier = { now: Date.now, bytes: randomBytes, newKey }
const pullTimeoutMs = 300_000

/** Downloads charts over these connections, without credentials. */
export const chartPuller = (connections: Connections): PullChart => {
  const oci = ociClient(systemClock, connections)
  return chart => pullChart(chart, { connections, oci, signal: AbortSignal.timeout(pullTimeoutMs) })
}

/** Charts of kustomizations, rendered without the program helm, for a person at this machine. */
export const chartInflation = (): Helm => ({
  template: (inflation, budget) => inflateChart(inflation, { certifier, budget }),
  pull: async chart => {
    const cloud = composeCloud(systemClock, {
      metadataService: false,
      forbidAddresses: [],
      allowAddresses: loopbackRanges,
    })
    try {
      return await chartPuller(cloud.connections)(chart)
    } finally {
      await cloud.close()
    }
  },
})
