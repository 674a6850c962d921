import { type Rollout, unitKindsOf } from '../../foundations/kinds/rollout.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import { unitPaths } from '../../hub-client/fleet-kinds.ts'
import { readUnits } from '../../hub-client/read-fleet.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { useNavigation } from '../parts/navigation.tsx'
import { Loaded } from '../parts/notices.tsx'
import { Pager } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { UnitTable } from './unit-table.tsx'

const pageSize = 50

/** The units that take revisions of a source of the Rollout, what fails first: each with the revision that it has. */
export const RolloutUnits = ({ rollout }: { readonly rollout: Rollout }) => {
  const { api } = useConsole()
  const { query, here } = useNavigation()
  const { metadata, spec } = rollout
  const names = spec.sources.map(({ kind, namespace = metadata.namespace, name }) => `${kind}/${namespace}/${name}`)
  const source = names.find(one => one === query.source) ?? names[0]!
  const kinds = unitKindsOf(rollout)
  const terms = {
    source,
    labelSelector: selectorText(spec.units?.selector ?? {}) || undefined,
    kind: kinds.length === 1 ? kinds[0] : undefined,
  }
  const units = useLive(api, {
    key: `units of rollout ${metadata.namespace} ${metadata.name} ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: unitPaths(undefined),
    keepsOld: true,
    read: (hub, signal) => readUnits(hub, terms, { limit: pageSize, continue: query.continue }, signal),
  })
  return (
    <section class="panel" aria-label="Units">
      <div class="bar">
        <h2>Units on the way</h2>
        <a class="right" href={withQuery('/units', { source, label: terms.labelSelector })}>
          {units.data ? counted(units.data.total, 'unit') : ''}
        </a>
      </div>
      {names.length > 1 && (
        <nav class="chips pad" aria-label="Sources">
          {names.map(one => (
            <a
              key={one}
              href={here({ source: one, continue: undefined })}
              aria-current={one === source ? 'true' : undefined}
            >
              {one}
            </a>
          ))}
        </nav>
      )}
      <Loaded of={units}>
        {page => (
          <>
            {page.items.length === 0 ? (
              <p class="pad quiet">No unit that you may see takes revisions from it.</p>
            ) : (
              <UnitTable rows={page.items} />
            )}
            <Pager pageSize={pageSize} shown={page.items.length} total={page.total} next={page.continue} />
          </>
        )}
      </Loaded>
    </section>
  )
}
