import type { UnitPage } from '../../foundations/fleet/unit-rows.ts'
import { unitKinds, unitPaths } from '../../hub-client/fleet-kinds.ts'
import { type Partly, readUnits, type UnitTerms } from '../../hub-client/read-fleet.ts'
import { useLive } from '../api/use-live.ts'
import { count, counted, namespaceFlag } from '../model/phrases.ts'
import { parseObjectName } from '../model/route.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { ChoiceTerm, SearchTerm, SetTerm, TextTerm } from '../parts/filters.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Refused } from '../parts/notices.tsx'
import { Pager } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { StateChips } from '../parts/state-chips.tsx'
import { UnitTable } from './unit-table.tsx'

const pageSize = 100

/** Terms that have the same name in the address. */
const filters = [
  'kind',
  'cluster',
  'state',
  'source',
  'revision',
  'sort',
  'waiting',
  'drifted',
  'undone',
  'age',
] as const satisfies readonly (keyof UnitTerms)[]

/** All units, what is wrong first, with filters that stay in the address. The hub counts, sorts and pages. */
export const UnitsPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const terms: UnitTerms = {
    ...{ namespace, labelSelector: query.label, clusterSelector: query.clusters, search: query.q },
    ...Object.fromEntries(filters.map(name => [name, query[name]])),
  }
  const units = useLive(api, {
    key: `units ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: unitPaths(namespace),
    keepsOld: true,
    read: (hub, signal) => readUnits(hub, terms, { limit: pageSize, continue: query.continue }, signal),
  })
  return <Loaded of={units}>{page => <Units page={page} />}</Loaded>
}

const Units = ({ page }: { readonly page: UnitPage & Partly }) => {
  const { query } = useNavigation()
  const { namespace } = useConsole()
  const { items, total, counts } = page
  const isFiltered = Object.keys(query).length > 0
  const selected = query.label ? ` -l '${query.label}'` : ''
  const command = `kubectl get kustomizations,helmreleases,resourcesets ${namespaceFlag(namespace)}${selected}`
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
      {(counts.total > 0 || isFiltered) && <Filters counts={counts} />}
      <section class="panel" aria-label="Units">
        {items.length === 0 ? <NoUnits isFiltered={isFiltered} /> : <UnitTable rows={items} />}
        <Pager pageSize={pageSize} shown={items.length} total={total} next={page.continue} />
      </section>
      <Refused of={page} />
    </>
  )
}

const Filters = ({ counts }: { readonly counts: UnitPage['counts'] }) => {
  const { query } = useNavigation()
  const cluster = query.cluster && (parseObjectName(query.cluster)?.name ?? query.cluster)
  return (
    <div class="filters">
      <StateChips counts={counts} />
      <SearchTerm term="q" label="Filter by kind, namespace and name" placeholder="Kind/namespace/name" />
      <TextTerm term="label" label="Label selector" placeholder="Label: team=web" />
      <TextTerm term="clusters" label="Label selector of clusters" placeholder="Clusters: region=eu" />
      <TextTerm term="revision" label="Filter by revision" placeholder="Revision" />
      <ChoiceTerm term="kind" label="Kind" all="All kinds" options={unitKinds.map(({ kind }) => [kind, kind])} />
      <ChoiceTerm term="age" label="Age of the state" all="Any age" options={ages} />
      <ChoiceTerm term="sort" label="Order" all="Failing first" options={orders} />
      <SetTerm term="cluster">{`on ${cluster}`}</SetTerm>
      <SetTerm term="source">{`from ${query.source}`}</SetTerm>
      <SetTerm term="waiting">waiting for a window</SetTerm>
      <SetTerm term="drifted">drifted</SetTerm>
      <SetTerm term="undone">undone</SetTerm>
    </div>
  )
}

const ages = [
  ['<15m', 'Changed in 15 minutes'],
  ['<1h', 'Changed in an hour'],
  ['<24h', 'Changed in a day'],
  ['>1h', 'Unchanged for an hour'],
  ['>24h', 'Unchanged for a day'],
  ['>168h', 'Unchanged for a week'],
] as const

const orders = [
  ['since', 'Changed last'],
  ['name', 'By name'],
] as const

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
