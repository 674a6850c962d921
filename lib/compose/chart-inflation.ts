import type { Helm } from '../engines/kustomize/generators/helm.ts'
import { type AddressRules, loopbackRanges } from '../foundations/rules/address-policy.ts'
import { systemClock } from '../platform/adapters/embedded/system-clock.ts'
import type { Connections } from '../platform/http/connections.ts'
import { inflateChart } from '../sources/helm/inflate-chart.ts'
import { certifier } from './certifier.ts'
import { chartPuller } from './chart-puller.ts'
import { composeCloud } from './cloud.ts'

const template: Helm['template'] = (inflation, budget) => inflateChart(inflation, { certifier, budget })

/** Charts of kustomizations, downloaded over these connections and rendered in this process. */
export const helmOver = (connections: Connections): Helm => ({ pull: chartPuller(connections), template })

/** Like `helmOver`, with connections of its own to the addresses that the rules allow, for a process that only renders charts. */
export const helmUnder = (rules: AddressRules): Helm =>
  helmOver(composeCloud(systemClock, { ...rules, metadataService: false }).connections)

/** Renders charts of kustomizations without the helm program, for a user of this machine. */
export const chartInflation = (): Helm => ({
  template,
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
