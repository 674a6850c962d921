import { objectName } from '../../foundations/fleet/fleet-clusters.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { unitPaths } from '../../hub-client/fleet-kinds.ts'
import { readUnits } from '../../hub-client/read-fleet.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { UnitTable } from './unit-table.tsx'

const maxRows = 100

/** The units that take their content from a source, what is wrong first. */
export const SourceUsers = ({ source }: { readonly source: KubernetesObject }) => {
  const { api } = useConsole()
  const name = objectName(source)
  const units = useLive(api, {
    key: `users of ${name}`,
    paths: unitPaths(undefined),
    read: (hub, signal) => readUnits(hub, { source: name }, { limit: maxRows }, signal),
  })
  return (
    <section class="panel" aria-label="Used by">
      <Loaded of={units}>
        {({ items, total }) => (
          <>
            <div class="bar">
              <h2>{counted(total, 'unit')}</h2>
              {total > maxRows && (
                <a class="right" href={withQuery('/units', { source: name })}>
                  All
                </a>
              )}
            </div>
            {items.length > 0 ? <UnitTable rows={items} /> : <Empty title="No unit uses it that you may see" />}
          </>
        )}
      </Loaded>
    </section>
  )
}
