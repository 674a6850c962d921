import type { FleetRow, FleetSummary } from '../../foundations/fleet/fleet-summary.ts'
import { hubName } from '../../foundations/fleet/versions.ts'
import { withQuery } from '../../hub-client/with-query.ts'
import { count, counted } from '../model/phrases.ts'
import { objectHref, parseObjectName } from '../model/route.ts'
import { type Shown, type ShownState, shown } from '../model/shown-state.ts'
import { State, StateBar, StateMark } from '../parts/state.tsx'

/** Beyond this number, clusters stand together in one tile: those in trouble come first. */
const maxTiles = 24

/** A tile for each cluster, those in trouble first. */
export const ClusterTiles = ({ summary: { rows, clusters } }: { readonly summary: FleetSummary }) => {
  const tiles = rows.slice(0, maxTiles).map(row => ({ row, state: stateOfRow(row) }))
  const hidden = clusters.total - tiles.filter(({ row }) => row.cluster !== hubName).length
  const { total, ready, unreachable } = clusters
  return (
    <section class="panel" aria-label="Clusters">
      <div class="bar">
        <h2>
          <a href="/clusters">Clusters</a>
        </h2>
        <span class="right legend">
          {ready > 0 && <State of={shown('ready', `${count(ready)} ready`)} />}
          {unreachable > 0 && <State of={shown('unreachable', `${count(unreachable)} unreachable`)} />}
          {total > ready + unreachable && <span>{`${count(total - ready - unreachable)} not probed`}</span>}
        </span>
      </div>
      <div class="tiles">
        {tiles.map(tile => (
          <Tile key={tile.row.cluster} {...tile} isAmbiguous={isAmbiguous(tile.row, rows)} />
        ))}
        {hidden > 0 && (
          <a class="tile" href="/clusters">
            <b>{counted(hidden, 'more cluster')}</b>
            <StateBar counts={{ ready: 1 }} />
            <small>with less to mend</small>
          </a>
        )}
      </div>
    </section>
  )
}

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
