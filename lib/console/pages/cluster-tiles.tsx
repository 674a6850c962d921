import { useState } from 'preact/hooks'
import type { FleetRow } from '../../foundations/fleet/fleet-summary.ts'
import { objectName } from '../../foundations/fleet/fleet-clusters.ts'
import { hubName } from '../../foundations/fleet/versions.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { counted } from '../model/phrases.ts'
import { objectHref, parseObjectName, withQuery } from '../model/route.ts'
import { type Shown, type ShownState, shown, shownStateOf } from '../model/shown-state.ts'
import { State, StateBar, StateMark } from '../parts/state.tsx'

interface Props {
  readonly rows: readonly FleetRow[]
  readonly clusters: readonly Cluster[]
  readonly total: number
}

/** Calm ones beyond this number stand together in one tile. */
const maxCalm = 12

/** A tile for each cluster, those in trouble first. */
export const ClusterTiles = ({ rows, clusters }: Props) => {
  const [isWhole, setWhole] = useState(false)
  const byName = new Map(clusters.map(cluster => [objectName(cluster as KubernetesObject), cluster]))
  const tiles = rows.map(row => ({ row, cluster: byName.get(row.cluster), state: stateOfRow(row, byName.get(row.cluster)) }))
  const calm = tiles.filter(({ state }) => state.state === 'ready')
  const busy = tiles.filter(({ state }) => state.state !== 'ready')
  const folded = isWhole ? [] : calm.slice(maxCalm)
  const counts = Map.groupBy(tiles, ({ state }) => state.state)
  return (
    <section class="panel" aria-label="Clusters">
      <div class="bar">
        <h2>Clusters</h2>
        <span class="right legend">
          {[...counts].map(([state, of]) => (
            <State key={state} of={shown(state, `${of.length} ${shown(state).word.toLowerCase()}`)} />
          ))}
        </span>
      </div>
      <div class="tiles">
        {[...busy, ...(isWhole ? calm : calm.slice(0, maxCalm))].map(tile => (
          <Tile key={tile.row.cluster} {...tile} />
        ))}
        {folded.length > 0 && (
          <button type="button" class="tile" onClick={() => setWhole(true)}>
            <b>{counted(folded.length, 'more cluster')}</b>
            <StateBar counts={{ ready: 1 }} />
            <small>all as their sources say</small>
          </button>
        )}
      </div>
    </section>
  )
}

interface TileProps {
  readonly row: FleetRow
  readonly cluster: Cluster | undefined
  readonly state: Shown
}

const Tile = ({ row, cluster, state }: TileProps) => {
  const found = parseObjectName(row.cluster)
  const name = found?.name ?? (row.cluster === hubName ? 'the hub itself' : row.cluster)
  const href = found?.kind === 'Cluster' ? objectHref(found) : withQuery('/units', { cluster: row.cluster })
  return (
    <a class="tile" href={href} title={row.cluster}>
      <b>
        <span class="cut">{name}</span>
        <StateMark of={state} />
      </b>
      <StateBar counts={barOf(row)} />
      <small>{factsOf(row, cluster)}</small>
    </a>
  )
}

const barOf = ({ units, ready }: FleetRow): Readonly<Partial<Record<ShownState, number>>> => {
  const failing = units.failed + units.stalled
  return {
    ready: units.ready,
    progressing: units.progressing,
    [ready === false ? 'unreachable' : 'failing']: failing,
    suspended: units.suspended,
  }
}

const stateOfRow = ({ units, waiting, ready }: FleetRow, cluster: Cluster | undefined): Shown => {
  const own = cluster && shownStateOf(cluster as KubernetesObject)
  if (own && (own.state === 'unreachable' || own.state === 'failing' || own.state === 'suspended')) return own
  if (ready === false) return shown('unreachable')
  if (units.failed + units.stalled > 0) return shown('failing')
  if (waiting > 0) return shown('waiting')
  if (units.progressing > 0) return shown('progressing')
  return shown('ready')
}

/** `64 units, 1.36, 14 ms`. */
const factsOf = ({ units, version, waiting }: FleetRow, cluster: Cluster | undefined): string =>
  [
    counted(units.total, 'unit'),
    ...(units.failed + units.stalled > 0 ? [`${units.failed + units.stalled} failing`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(version ? [version.replace(/^v(\d+\.\d+).*/, '$1')] : []),
    ...(cluster?.status?.latency ? [cluster.status.latency] : []),
  ].join(', ')
