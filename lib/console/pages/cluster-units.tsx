import { objectName } from '../../foundations/fleet/fleet-clusters.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { unitPaths } from '../../hub-client/fleet-kinds.ts'
import { readUnits } from '../../hub-client/read-fleet.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { UnitTable } from './unit-table.tsx'

const maxRows = 30

/** The units of a cluster, what is wrong first, and its windows. */
export const ClusterUnits = ({ cluster }: { readonly cluster: Cluster }) => {
  const { api } = useConsole()
  const name = objectName(cluster as KubernetesObject)
  const units = useLive(api, {
    key: `units of ${name}`,
    paths: unitPaths(undefined),
    read: (hub, signal) => readUnits(hub, { cluster: name }, { limit: maxRows }, signal),
  })
  return (
    <div class="stack">
      <section class="panel" aria-label="Units">
        <Loaded of={units}>
          {({ items, total }) => (
            <>
              <div class="bar">
                <h2>{counted(total, 'unit')}</h2>
                {total > maxRows && (
                  <a class="right" href={withQuery('/units', { cluster: name })}>
                    All
                  </a>
                )}
              </div>
              {items.length > 0 && <UnitTable rows={items} withCluster={false} />}
            </>
          )}
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
              <b>{action}</b> <span class="mono">{schedule}</span>{' '}
              <span class="quiet">{`for ${duration}, ${timeZone}`}</span>
            </p>
            {description && <p class="quiet break">{description}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}
