import type { FleetRow, StateCounts } from '../foundations/fleet/fleet-rows.ts'
import type { CauseSummary, FleetSummary, Names } from '../foundations/fleet/fleet-summary.ts'
import { humanDuration } from '../foundations/kinds/human-duration.ts'
import { table } from './table.ts'

export interface FleetForm {
  readonly isWide: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A fleet for people: a line of counts, what fails and why, then the clusters. */
export const describeFleet = (summary: FleetSummary, form: FleetForm): string => {
  const { clusters, units, undone, causes, moreCauses, rows } = summary
  if (rows.length === 0) return 'No clusters and no units found.\n'
  const more = moreCauses > 0 ? `... and ${moreCauses} more\n` : ''
  const next = summary.continue === undefined ? '' : `... more clusters: --continue ${summary.continue}\n`
  return [
    `${headlineOf(clusters)}; ${unitsLine(units)}${undone ? `; ${undone} undone` : ''}\n`,
    causes.length === 0 ? 'Nothing fails.\n' : causeTable(causes, form) + more,
    clusterTable(rows, form) + next,
  ].join('\n')
}

const headlineOf = ({ total, ready, unreachable }: FleetSummary['clusters']): string =>
  `${total} ${total === 1 ? 'cluster' : 'clusters'}: ${ready} ready${unreachable > 0 ? `, ${unreachable} unreachable` : ''}`

/** `30 units: 19 ready, 11 failed`. */
const unitsLine = ({ total, ...states }: StateCounts): string => {
  const parts = Object.entries(states).filter(([state, count]) => count > 0 || state === 'ready')
  return `${total} ${total === 1 ? 'unit' : 'units'}: ${parts.map(([state, count]) => `${count} ${state}`).join(', ')}`
}

const causeTable = (causes: readonly CauseSummary[], { isWide, now }: FleetForm): string =>
  table(
    ['SEVERITY', 'UNITS', 'SINCE', 'WHAT', ...(isWide ? ['CLUSTERS', 'HELD UP'] : []), 'WHY'],
    causes.map(cause => [
      cause.severity,
      String(cause.units.total),
      cause.since ? humanDuration(now - Date.parse(cause.since)) : '',
      whatOf(cause),
      ...(isWide ? [listed(cause.clusters), listed(cause.units)] : []),
      `${cause.reason}: ${oneLine(cause.message)}`,
    ]),
  )

/** Several units that fail alike are named by the first. */
const whatOf = ({ object, units }: CauseSummary): string =>
  units.total > 1 && units.names.includes(object) ? `${object} and ${units.total - 1} more` : object

const listed = ({ total, names }: Names): string =>
  `${names.join(', ')}${total > names.length ? ` and ${total - names.length} more` : ''}`

const maxMessage = 200

const oneLine = (message: string): string => {
  const text = message.trim().replaceAll(/\s+/g, ' ')
  return text.length <= maxMessage ? text : `${text.slice(0, maxMessage)}…`
}

const clusterTable = (rows: readonly FleetRow[], { isWide }: FleetForm): string =>
  table(
    [
      ...['CLUSTER', 'REACHABLE', 'UNITS', 'READY', 'PROGRESSING', 'FAILED', 'STALLED', 'SUSPENDED', 'WAITING'],
      ...(isWide ? ['VERSION', 'KINDS'] : []),
    ],
    rows.map(({ cluster, ready, version = '', units, waiting, kinds }) => [
      cluster,
      ready === undefined ? '' : ready ? 'yes' : 'no',
      ...[units.total, units.ready, units.progressing, units.failed, units.stalled, units.suspended].map(String),
      String(waiting),
      ...(isWide ? [version, kindsOf(kinds)] : []),
    ]),
  )

/** `Kustomization 9/10, HelmRelease 2/2`: ready of all. */
const kindsOf = (kinds: FleetRow['kinds']): string =>
  Object.entries(kinds)
    .map(([kind, { ready, total }]) => `${kind} ${ready}/${total}`)
    .join(', ')
