import type { ObjectState } from '../../foundations/fleet/object-state.ts'
import type { UnitPage } from '../../foundations/fleet/unit-rows.ts'
import { unitKinds, unitPaths } from '../api/fleet-kinds.ts'
import { type Partly, readUnits } from '../api/read-fleet.ts'
import { useLive } from '../api/use-live.ts'
import { count, counted } from '../model/phrases.ts'
import { parseObjectName } from '../model/route.ts'
import { shown, shownFrom } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Refused } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { UnitTable } from './unit-table.tsx'

const pageSize = 100

/** All units, what is wrong first, with filters that stay in the address. The hub counts, sorts and pages. */
export const UnitsPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const { label: labelSelector, kind, cluster, state, q: search, waiting } = query
  const terms = { namespace, labelSelector, kind, cluster, state, search, waiting }
  const units = useLive(api, {
    key: `units ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: unitPaths(namespace),
    keepsOld: true,
    read: (hub, signal) => readUnits(hub, terms, { limit: pageSize, continue: query.continue }, signal),
  })
  return <Loaded of={units}>{page => <Units page={page} />}</Loaded>
}

const Units = ({ page }: { readonly page: UnitPage & Partly }) => {
  const { query, here } = useNavigation()
  const { namespace } = useConsole()
  const { items, total, counts } = page
  const from = Number(query.continue ?? 0)
  const selected = query.label ? ` -l '${query.label}'` : ''
  const command = `kubectl get kustomizations,helmreleases,resourcesets ${namespace ? `-n ${namespace}` : '-A'}${selected}`
  return (
    <>
      <div class="head">
        <div>
          <h1>
            {total === counts.total ? counted(total, 'unit') : `${count(total)} of ${counted(counts.total, 'unit')}`}
          </h1>
        </div>
        <div class="actions">
          <CopyCommand command={command} />
        </div>
      </div>
      <Filters counts={counts} />
      <section class="panel" aria-label="Units">
        {items.length === 0 ? <NoUnits isFiltered={Object.keys(query).length > 0} /> : <UnitTable rows={items} />}
        {(page.continue || from > 0) && (
          <nav class="pages" aria-label="Pages of the list">
            {from > 0 && (
              <a href={here({ continue: from > pageSize ? String(from - pageSize) : undefined })}>Earlier</a>
            )}
            <span class="quiet">{`${count(from + 1)} to ${count(from + items.length)} of ${count(total)}`}</span>
            {page.continue && <a href={here({ continue: page.continue })}>Further</a>}
          </nav>
        )}
      </section>
      <Refused of={page} />
    </>
  )
}

const states: readonly ObjectState['state'][] = ['failed', 'stalled', 'progressing', 'suspended', 'ready']

const Filters = ({ counts }: { readonly counts: UnitPage['counts'] }) => {
  const { query, here, go } = useNavigation()
  const set = (name: string) => (event: Event) =>
    go(here({ [name]: (event.currentTarget as HTMLInputElement).value, continue: undefined }), 'replace')
  const cluster = query.cluster && (parseObjectName(query.cluster)?.name ?? query.cluster)
  return (
    <div class="filters">
      <nav class="chips" aria-label="States">
        <a href={here({ state: undefined, continue: undefined })} aria-current={query.state ? undefined : 'true'}>
          {`All ${count(counts.total)}`}
        </a>
        {states
          .filter(state => counts[state] > 0 || query.state === state)
          .map(state => {
            const { state: shape, word } = shownFrom({ state, isWaiting: false })
            return (
              <a
                key={state}
                href={here({ state, continue: undefined })}
                aria-current={query.state === state ? 'true' : undefined}
              >
                <State of={shown(shape, `${word} ${count(counts[state])}`)} />
              </a>
            )
          })}
      </nav>
      <label class="field">
        <span class="hidden">Filter by kind, namespace and name</span>
        <input type="search" value={query.q ?? ''} placeholder="Kind/namespace/name" onInput={set('q')} />
      </label>
      <label class="field">
        <span class="hidden">Label selector</span>
        <input value={query.label ?? ''} placeholder="Label: team=web" spellcheck={false} onChange={set('label')} />
      </label>
      <label class="field">
        <span class="hidden">Kind</span>
        <select value={query.kind ?? ''} onChange={set('kind')}>
          <option value="">All kinds</option>
          {unitKinds.map(({ kind }) => (
            <option key={kind} value={kind}>
              {kind}
            </option>
          ))}
        </select>
      </label>
      {cluster && (
        <a class="chip" href={here({ cluster: undefined, continue: undefined })} title="Remove this filter">
          {`on ${cluster} ×`}
        </a>
      )}
    </div>
  )
}

const NoUnits = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No unit matches">
      <p>
        <a href="/units">Show all units</a>
      </p>
    </Empty>
  ) : (
    <Empty title="There are no units here">
      <p>A unit is a Kustomization, HelmRelease or ResourceSet. These two commands make one:</p>
      <pre>
        {`flux create source git my-app --url=https://github.com/me/my-app --branch=main
flux create kustomization my-app --source=my-app --path=./deploy --prune=true`}
      </pre>
    </Empty>
  )
