import type { PullChart } from '../engines/kustomize/generators/helm.ts'
import { systemClock } from '../platform/adapters/embedded/system-clock.ts'
import type { Connections } from '../platform/http/connections.ts'

const timeoutMs = 300_000

/** Downloads charts over these connections, without credentials. Few builds have any, so the code is loaded with the first chart. */
export const chartPuller =
  (connections: Connections): PullChart =>
  async chart => {
    const [{ pullChart }, { ociClient }] = await Promise.all([
      import('../sources/helm/pull-chart.ts'),
      import('../sources/oci/oci-client.ts'),
    ])
    return pullChart(chart, {
      connections,
      oci: ociClient(systemClock, connections),
      signal: AbortSignal.timeout(timeoutMs),
    })
  }
