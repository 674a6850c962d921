import { objectName } from '../../foundations/fleet/fleet-clusters.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { unitKinds } from '../api/fleet-kinds.ts'
import { readUnits } from '../api/read-units.ts'
import { resourcePath } from '../api/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { filteredUnits } from '../model/unit-filter.ts'
import { withQuery } from '../model/route.ts'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { UnitTable } from './unit-table.tsx'

const maxRows = 30

/** The units of a cluster, what is wrong first, and its windows. */
export const ClusterUnits = ({ cluster }: { readonly cluster: Cluster }) => {
  const { api } = useConsole()
  const { namespace } = cluster.metadata
  const name = objectName(cluster as KubernetesObject)
  const units = useLive(api, {
    key: `units of ${name}`,
    paths: unitKinds.map(kind => resourcePath(kind, { namespace })),
    read: (hub, signal) => readUnits(hub, namespace, undefined, signal),
  })
  return (
    <div class="stack">
      <section class="panel" aria-label="Units">
        <Loaded of={units}>
          {rows => {
            const found = filteredUnits(rows, { cluster: name })
            return (
              <>
                <div class="bar">
                  <h2>{counted(found.length, 'unit')}</h2>
                  {found.length > maxRows && (
                    <a class="right" href={withQuery('/units', { cluster: name })}>
                      All
                    </a>
                  )}
                </div>
                {found.length > 0 && <UnitTable rows={found.slice(0, maxRows)} withCluster={false} />}
              </>
            )
          }}
        </Loaded>
      </section>
      <Windows cluster={cluster} />
    </div>
  )
}

const Windows = ({ cluster: { spec } }: { readonly cluster: Cluster }) => {
  const windows = spec.windows ?? []
  return (
    <section class="panel" aria-label="Windows">
      <div class="bar">
        <h2>Windows</h2>
      </div>
      {windows.length === 0 && <p class="pad quiet">None: changes are applied at any time.</p>}
      <ul class="facts-list">
        {windows.map(({ action, schedule, duration, timeZone = 'UTC', description }) => (
          <li key={`${action} ${schedule}`}>
            <p class="line">
              <b>{action}</b> <span class="mono">{schedule}</span> <span class="quiet">{`for ${duration}, ${timeZone}`}</span>
            </p>
            {description && <p class="quiet break">{description}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
