import type { SourcePage, SourceRow } from '../../foundations/fleet/source-rows.ts'
import { sourceKinds, sourcePaths } from '../../hub-client/fleet-kinds.ts'
import { type Partly, readSources } from '../../hub-client/read-fleet.ts'
import { useLive } from '../api/use-live.ts'
import { count, counted, namespaceFlag, revisionText } from '../model/phrases.ts'
import { objectHref } from '../model/route.ts'
import { shownFrom } from '../model/shown-state.ts'
import { CopyCommand } from '../parts/copy.tsx'
import { ChoiceTerm, SearchTerm } from '../parts/filters.tsx'
import { Latest } from '../parts/latest.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { Empty, Loaded, Refused } from '../parts/notices.tsx'
import { Pager } from '../parts/pager.tsx'
import { useConsole } from '../parts/scope.tsx'
import { State } from '../parts/state.tsx'
import { StateChips } from '../parts/state-chips.tsx'

const pageSize = 100

/** Where units take their content from, what is wrong first. */
export const SourcesPage = () => {
  const { api, namespace } = useConsole()
  const { query } = useNavigation()
  const { kind, state, q: search } = query
  const terms = { namespace, kind, state, search }
  const sources = useLive(api, {
    key: `sources ${JSON.stringify(terms)} ${query.continue ?? ''}`,
    paths: sourcePaths(namespace),
    keepsOld: true,
    read: (hub, signal) => readSources(hub, terms, { limit: pageSize, continue: query.continue }, signal),
  })
  return <Loaded of={sources}>{page => <Sources page={page} />}</Loaded>
}

const Sources = ({ page }: { readonly page: SourcePage & Partly }) => {
  const { namespace } = useConsole()
  const { query } = useNavigation()
  const isFiltered = Object.keys(query).length > 0
  const { items, total, counts } = page
  return (
    <>
      <div class="head">
        <div>
          <h1>
            {total === counts.total
              ? counted(total, 'source')
              : `${count(total)} of ${counted(counts.total, 'source')}`}
          </h1>
        </div>
        <div class="actions">
          <CopyCommand label="Copy as flux" command={`flux get sources all ${namespaceFlag(namespace)}`} />
        </div>
      </div>
      {(counts.total > 0 || isFiltered) && (
        <div class="filters">
          <StateChips counts={counts} />
          <SearchTerm term="q" label="Filter by kind, namespace and name" placeholder="Kind/namespace/name" />
          <ChoiceTerm term="kind" label="Kind" all="All kinds" options={sourceKinds.map(({ kind }) => [kind, kind])} />
        </div>
      )}
      <section class="panel" aria-label="Sources">
        {items.length === 0 ? <NoSources isFiltered={isFiltered} /> : <SourceTable rows={items} />}
        <Pager pageSize={pageSize} shown={items.length} total={total} next={page.continue} />
      </section>
      <Refused of={page} />
    </>
  )
}

const SourceTable = ({ rows }: { readonly rows: readonly SourceRow[] }) => (
  <table class="list" data-rows>
    <thead>
      <tr>
        <th class="fit">State</th>
        <th>Source</th>
        <th class="wide">Address</th>
        <th class="fit">Revision</th>
        <th class="fit">Used by</th>
        <th class="wide">Message</th>
        <th class="fit num">Since</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <Row key={`${row.kind}/${row.namespace}/${row.name}`} row={row} />
      ))}
    </tbody>
  </table>
)

const Row = ({ row }: { readonly row: SourceRow }) => {
  const { kind, namespace, name, state, reason, message, url, revision, verified, users, since } = row
  const ref = { kind, namespace, name }
  return (
    <tr>
      <td class="fit">
        <State of={shownFrom({ state, reason, isWaiting: false })} />
      </td>
      <td class="cut main">
        <a href={objectHref(ref)} title={name}>
          {name}
        </a>
        <small class="quiet">{`${kind} in ${namespace}`}</small>
      </td>
      <td class="cut wide" title={url}>
        {url}
      </td>
      <td class="fit mono" title={verified === 'True' ? `${revision}, signature verified` : revision}>
        {revisionText(revision)}
        {verified === 'True' && ' ✓'}
      </td>
      <td class="fit" data-label="used by">
        {users > 0 ? <a href={objectHref(ref, 'users')}>{count(users)}</a> : 'nothing'}
      </td>
      <Latest message={message} since={since} />
    </tr>
  )
}

const NoSources = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No source matches">
      <p>
        <a href="/sources">Show all sources</a>
      </p>
    </Empty>
  ) : (
    <Empty title="There are no sources here">
      <p>A source is a repository or bucket that units take their content from:</p>
      <pre>
        {`flux create source git my-app --url=https://github.com/me/my-app --branch=main
flux create source oci my-chart --url=oci://ghcr.io/me/my-chart --tag=1.0.0`}
      </pre>
    </Empty>
  )
