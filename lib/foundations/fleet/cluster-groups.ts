/** The clusters of a fleet by the values of one of their labels. Pure. */
import type { FleetCluster } from './fleet-clusters.ts'
import type { FleetRow, StateCounts } from './fleet-rows.ts'
import { hubName } from './versions.ts'

/** Clusters with the same value. */
export interface ClusterGroup {
  /** Absent for those without the label. */
  readonly value?: string
  readonly clusters: number
  /** A unit that several clusters have counts for each. */
  readonly units: StateCounts
  /** Those in which most is wrong, at most eight. */
  readonly rows: readonly FleetRow[]
}

/** A label by which clusters can stand together. */
export interface GroupingLabel {
  readonly label: string
  /** How many there are. */
  readonly values: number
}

export interface RowWithLabels {
  readonly labels: Readonly<Record<string, string>>
  readonly row: FleetRow
}

const maxRows = 8
const maxGroups = 24

/** The labels that make fewer groups than there are clusters, and no more than a person can survey; by name. */
export const labelsToGroup = (clusters: readonly FleetCluster[]): readonly GroupingLabel[] => {
  const values = new Map<string, Set<string>>()
  for (const { cluster } of clusters)
    for (const [label, value] of Object.entries(cluster?.metadata.labels ?? {}))
      values.set(label, (values.get(label) ?? new Set()).add(value))
  return Array.from(values, ([label, { size }]) => ({ label, values: size }))
    .filter(({ values }) => values <= maxGroups && values < clusters.length)
    .sort((a, b) => (a.label < b.label ? -1 : 1))
}

/** The rows by the values of a label. What comes first in `rows` does so among the groups, and within them. */
export const groupedRows = (rows: readonly RowWithLabels[], label: string) => {
  const byValue = [...Map.groupBy(rows, ({ labels }) => labels[label])]
  const groups = byValue.slice(0, maxGroups).map(([value, members]): ClusterGroup => {
    const own = members.map(({ row }) => row)
    return {
      ...(value !== undefined && { value }),
      clusters: own.filter(({ cluster }) => cluster !== hubName).length,
      units: sumOf(own),
      rows: own.slice(0, maxRows),
    }
  })
  return { groups, ...(byValue.length > maxGroups && { moreGroups: byValue.length - maxGroups }) }
}

const sumOf = (rows: readonly FleetRow[]): StateCounts => {
  const sum = { total: 0, ready: 0, progressing: 0, failed: 0, stalled: 0, suspended: 0 }
  for (const { units } of rows)
    for (const state of Object.keys(sum) as (keyof StateCounts)[]) sum[state] += units[state]
  return sum
}
