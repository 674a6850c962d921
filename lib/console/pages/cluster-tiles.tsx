import type { ClusterGroup } from '../../foundations/fleet/cluster-groups.ts'
import type { FleetRow } from '../../foundations/fleet/fleet-rows.ts'
import type { FleetSummary } from '../../foundations/fleet/fleet-summary.ts'
import { hubName } from '../../foundations/fleet/versions.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { count, counted } from '../model/phrases.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { type Shown, type ShownState, shown } from '../model/shown-state.ts'
import { ChoiceTerm } from '../parts/filters.tsx'
import { useNavigation } from '../parts/navigation.tsx'
import { State, StateBar, StateMark } from '../parts/state.tsx'

/** Beyond this number, clusters stand together in one tile: those in trouble come first. */
const maxTiles = 24

/** A tile for each cluster, those in trouble first; by the values of a label if the viewer chooses one, which is a term of the address. */
export const ClusterTiles = ({ summary }: { readonly summary: FleetSummary }) => {
  const { query } = useNavigation()
  const { rows, clusters, labels, groups, moreGroups = 0 } = summary
  const { total, failing, unreachable } = clusters
  const ready = total - failing - unreachable
  const options = labels.map(({ label }) => label)
  if (query.by && !options.includes(query.by)) options.push(query.by)
  const tiles = rows.slice(0, maxTiles)
  const hidden = total - tiles.filter(({ cluster }) => cluster !== hubName).length
  return (
    <section class="panel" aria-label="Clusters">
      <div class="bar">
        <h2>
          <a href="/clusters">Clusters</a>
        </h2>
        {options.length > 0 && (
          <ChoiceTerm
            term="by"
            label="Group clusters by a label"
            all="not grouped"
            options={options.map(label => [label, `by ${label}`])}
          />
        )}
        <span class="right legend">
          {ready > 0 && <State of={shown('ready', `${count(ready)} ready`)} />}
          {failing > 0 && <State of={shown('failing', `${count(failing)} failing`)} />}
          {unreachable > 0 && <State of={shown('unreachable', `${count(unreachable)} unreachable`)} />}
        </span>
      </div>
      {groups ? (
        <>
          {groups.map(group => (
            <Group key={group.value ?? ''} label={query.by ?? ''} group={group} all={rows} />
          ))}
          {moreGroups > 0 && (
            <p class="pad quiet">{`and ${counted(moreGroups, 'more value')} of ${query.by}: choose a label with fewer`}</p>
          )}
        </>
      ) : (
        <Tiles rows={tiles} all={rows} hidden={hidden} href="/clusters" />
      )}
    </section>
  )
}

interface GroupProps {
  readonly label: string
  readonly group: ClusterGroup
  readonly all: readonly FleetRow[]
}

const Group = ({ label, group: { value, clusters, units, rows }, all }: GroupProps) => {
  const href = withQuery('/clusters', { clusters: value === undefined ? `!${label}` : `${label}=${value}` })
  const known = rows.filter(({ cluster }) => cluster !== hubName).length
  // The tile of the others stands for two at least.
  const shownRows = clusters > known ? rows.slice(0, -1) : rows
  const hidden = clusters - shownRows.filter(({ cluster }) => cluster !== hubName).length
  return (
    <>
      <h3 class="group">
        <a href={href}>{value ?? `without ${label}`}</a>
        <span class="quiet">{`${counted(clusters, 'cluster')}, ${counted(units.total, 'unit')}`}</span>
      </h3>
      <Tiles rows={shownRows} all={all} hidden={hidden} href={href} />
    </>
  )
}

interface TilesProps {
  readonly rows: readonly FleetRow[]
  /** Of the fleet. */
  readonly all: readonly FleetRow[]
  /** How many clusters have no tile, and where they are. */
  readonly hidden: number
  readonly href: string
}

const Tiles = ({ rows, all, hidden, href }: TilesProps) => (
  <div class="tiles">
    {rows.map(row => (
      <Tile key={row.cluster} row={row} state={stateOfRow(row)} isAmbiguous={isAmbiguous(row, all)} />
    ))}
    {hidden > 0 && (
      <a class="tile" href={href}>
        <b>{`${count(hidden)} more`}</b>
        <StateBar counts={{ ready: 1 }} />
        <small>with less to mend</small>
      </a>
    )}
  </div>
)

interface TileProps {
  readonly row: FleetRow
  readonly state: Shown
  /** Another cluster has the same name in another namespace. */
  readonly isAmbiguous: boolean
}

const isAmbiguous = ({ cluster }: FleetRow, rows: readonly FleetRow[]): boolean => {
  const name = parseObjectName(cluster)?.name
  return rows.some(other => other.cluster !== cluster && parseObjectName(other.cluster)?.name === name)
}

const Tile = ({ row, state, isAmbiguous }: TileProps) => {
  const found = parseObjectName(row.cluster)
  const name = found?.name ?? (row.cluster === hubName ? 'the hub itself' : row.cluster)
  const href = found?.kind === 'Cluster' ? objectHref(found) : withQuery('/units', { cluster: row.cluster })
  return (
    <a class="tile" href={href} title={row.cluster}>
      <b>
        <span class="cut">
          {name}
          {isAmbiguous && found && <span class="quiet">{` in ${found.namespace}`}</span>}
        </span>
        <StateMark of={state} />
      </b>
      <StateBar counts={barOf(row)} />
      <small>{factsOf(row)}</small>
    </a>
  )
}

const barOf = ({ units, ready }: FleetRow): Readonly<Partial<Record<ShownState, number>>> => ({
  ready: units.ready,
  progressing: units.progressing,
  [ready === false ? 'unreachable' : 'failing']: units.failed + units.stalled,
  suspended: units.suspended,
})

const stateOfRow = ({ units, waiting, ready }: FleetRow): Shown => {
  if (ready === false) return shown('unreachable')
  if (units.failed + units.stalled > 0) return shown('failing')
  if (waiting > 0) return shown('waiting')
  if (units.progressing > 0) return shown('progressing')
  return units.total > 0 && units.suspended === units.total ? shown('suspended') : shown('ready')
}

/** `64 units, 1 failing, 1.36`. */
const factsOf = ({ units, version, waiting }: FleetRow): string =>
  [
    counted(units.total, 'unit'),
    ...(units.failed + units.stalled > 0 ? [`${units.failed + units.stalled} failing`] : []),
    ...(units.suspended > 0 ? [`${units.suspended} suspended`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(version ? [version.replace(/^v(\d+\.\d+).*/, '$1')] : []),
  ].join(', ')
