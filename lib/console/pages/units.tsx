import { unitKinds } from '../api/fleet-kinds.ts'
import { readUnits } from '../api/read-units.ts'
import { resourcePath } from '../api/resource-path.ts'
import { useLive } from '../api/use-live.ts'
import { counted } from '../model/phrases.ts'
import { parseObjectName, withQuery } from '../model/route.ts'
import { shown, words } from '../model/shown-state.ts'
import { countsByState, filteredUnits, type UnitRow } from '../model/unit-filter.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded } from '../parts/notices.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { UnitTable } from './unit-table.tsx'

const pageSize = 100

/** All units, by what is wrong, with filters that stay in the address. */
export const UnitsPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const selector = query.label
  const units = useLive(api, {
    key: `units ${namespace ?? ''} ${selector ?? ''}`,
    paths: unitKinds.map(kind => resourcePath(kind, { namespace })),
    read: (hub, signal) => readUnits(hub, namespace, selector, signal),
  })
  return <Loaded of={units}>{rows => <Units rows={rows} />}</Loaded>
}

const Units = ({ rows }: { readonly rows: readonly UnitRow[] }) => {
  const { query, here } = useNavigation()
  const { namespace } = useConsole()
  const terms = { text: query.q, kind: query.kind, cluster: query.cluster }
  const matching = filteredUnits(rows, terms)
  const counts = countsByState(matching)
  const found = query.state ? matching.filter(row => row.shown.state === query.state) : matching
  const from = Math.max(0, (Number(query.page) || 1) - 1) * pageSize
  const shownRows = found.slice(from, from + pageSize)
  const command = `kubectl get kustomizations,helmreleases,resourcesets ${namespace ? `-n ${namespace}` : '-A'}${query.label ? ` -l '${query.label}'` : ''}`
  return (
    <>
      <div class="head">
        <div>
          <h1>{sentence(found.length, rows.length)}</h1>
        </div>
        <div class="actions">
          <CopyCommand command={command} />
        </div>
      </div>
      <Filters counts={counts} total={matching.length} />
      <section class="panel" aria-label="Units">
        {shownRows.length === 0 ? <NoUnits isFiltered={rows.length > 0} /> : <UnitTable rows={shownRows} />}
        {found.length > pageSize && (
          <nav class="pages" aria-label="Pages of the list">
            {from > 0 && <a href={here({ page: String(from / pageSize) })}>Earlier</a>}
            <span class="quiet">{`${from + 1} to ${Math.min(found.length, from + pageSize)} of ${found.length}`}</span>
            {from + pageSize < found.length && <a href={here({ page: String(from / pageSize + 2) })}>Further</a>}
          </nav>
        )}
      </section>
    </>
  )
}

const sentence = (found: number, all: number): string =>
  found === all ? counted(all, 'unit') : `${found} of ${counted(all, 'unit')}`

interface FiltersProps {
  readonly counts: ReturnType<typeof countsByState>
  readonly total: number
}

const Filters = ({ counts, total }: FiltersProps) => {
  const { query, here, go } = useNavigation()
  const set = (name: string) => (event: Event) =>
    go(here({ [name]: (event.currentTarget as HTMLInputElement).value, page: undefined }), 'replace')
  const cluster = query.cluster && (parseObjectName(query.cluster)?.name ?? query.cluster)
  return (
    <div class="filters">
      <div class="chips" role="group" aria-label="States">
        <a href={here({ state: undefined, page: undefined })} aria-current={query.state ? undefined : 'true'}>
          {`All ${total}`}
        </a>
        {[...counts].map(([state, many]) => (
          <a key={state} href={here({ state, page: undefined })} aria-current={query.state === state ? 'true' : undefined}>
            <State of={shown(state, `${words[state]} ${many}`)} />
          </a>
        ))}
      </div>
      <label class="field">
        <span class="hidden">Filter by name, namespace, cluster or revision</span>
        <input type="search" value={query.q ?? ''} placeholder="Name, namespace, cluster, revision" onInput={set('q')} />
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
        <a class="tag" href={here({ cluster: undefined, page: undefined })} title="Remove this filter">
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
        <a href={withQuery('/units', {})}>Show all units</a>
      </p>
    </Empty>
  ) : (
    <Empty title="There are no units here">
      <p>A unit is a Kustomization, HelmRelease or ResourceSet. These two make one:</p>
      <pre>
        {`flux create source git my-app --url=https://github.com/me/my-app --branch=main
flux create kustomization my-app --source=my-app --path=./deploy --prune=true`}
      </pre>
    </Empty>
  )
