/** The filters of the list of units. Pure. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type Shown, type ShownState, shownStateOf } from './shown-state.ts'

/** A unit in the list. */
export interface UnitRow {
  readonly object: KubernetesObject
  readonly shown: Shown
  /** By name: of its Cluster, or of the access that it uses; absent for the hub itself. */
  readonly cluster?: string | undefined
}

export interface UnitTerms {
  readonly text?: string | undefined
  readonly state?: string | undefined
  readonly kind?: string | undefined
  readonly cluster?: string | undefined
}

const order: readonly ShownState[] = ['failing', 'unreachable', 'waiting', 'progressing', 'suspended', 'ready']

/** Those that match, what is wrong first, then by name. */
export const filteredUnits = (rows: readonly UnitRow[], { text, state, kind, cluster }: UnitTerms): readonly UnitRow[] => {
  const wanted = text?.toLowerCase()
  return rows
    .filter(row => !state || row.shown.state === state)
    .filter(row => !kind || row.object.kind === kind)
    .filter(row => !cluster || row.cluster === cluster || (cluster === 'hub' && row.cluster === undefined))
    .filter(row => !wanted || searchText(row).includes(wanted))
    .toSorted((a, b) => order.indexOf(a.shown.state) - order.indexOf(b.shown.state) || compare(nameOf(a), nameOf(b)))
}

interface Revisions {
  readonly lastAppliedRevision?: string
  readonly lastAttemptedRevision?: string
  readonly artifact?: { readonly revision?: string }
}

/** The revision that a unit or source has, or last tried. */
export const revisionOf = ({ status }: KubernetesObject): string | undefined => {
  const { lastAppliedRevision, lastAttemptedRevision, artifact } = (status ?? {}) as Revisions
  return lastAppliedRevision ?? lastAttemptedRevision ?? artifact?.revision
}

const nameOf = ({ object: { metadata } }: UnitRow): string => `${metadata.namespace}/${metadata.name}`

const searchText = (row: UnitRow): string =>
  `${row.object.kind} ${nameOf(row)} ${row.cluster ?? ''} ${revisionOf(row.object) ?? ''}`.toLowerCase()

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** How many are in each state. */
export const countsByState = (rows: readonly UnitRow[]): ReadonlyMap<ShownState, number> => {
  const counts = new Map<ShownState, number>()
  for (const { shown } of rows) counts.set(shown.state, (counts.get(shown.state) ?? 0) + 1)
  return counts
}

export const unitRow = (object: KubernetesObject, cluster: string | undefined): UnitRow => ({
  object,
  cluster,
  shown: shownStateOf(object),
})
