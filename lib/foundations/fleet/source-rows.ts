/** What units take their content from, one by one, with how many use it. Pure. */
import type { Condition, KubernetesObject } from '../kinds/object.ts'
import { type Fleet, objectName } from './fleet-clusters.ts'
import { countsOf, type StateCounts } from './fleet-rows.ts'
import { type Needing, neededNames } from './needed-by.ts'
import { type ObjectState, objectStateOf, statusCondition } from './object-state.ts'
import { type PageOptions, pageOf } from './page.ts'
import { byState } from './unit-rows.ts'

export interface SourceRow extends ObjectState {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Of the condition Ready. */
  readonly reason?: string
  /** When that last changed; RFC 3339. */
  readonly since?: string
  /** Where it comes from. */
  readonly url?: string
  /** Of its artifact. */
  readonly revision?: string
  /** Whether its signature is verified; absent without a rule to verify it. */
  readonly verified?: Condition['status']
  /** How many units and sources refer to it, of those that the caller may list. */
  readonly users: number
}

export interface SourceFilter {
  readonly kind?: string
  readonly states?: readonly string[]
  /** A part of `Kind/namespace/name`, in any case. */
  readonly search?: string
}

export interface SourcePage {
  /** How many match. */
  readonly total: number
  /** Those that match but for their state, by state. */
  readonly counts: StateCounts
  readonly items: readonly SourceRow[]
  /** Pass it as `continue` for those that follow. */
  readonly continue?: string
}

export interface SourcePageOptions extends PageOptions {
  readonly filter: SourceFilter
}

interface Known extends ObjectState {
  readonly object: KubernetesObject
  readonly name: string
}

/** Those in which most is wrong first. */
export const sourcePage = (
  fleet: Fleet,
  sources: readonly KubernetesObject[],
  { filter: { kind, states, search }, ...options }: SourcePageOptions,
): SourcePage => {
  const inAnyState = sources
    .map((object): Known => ({ object, name: objectName(object), ...objectStateOf(object) }))
    .filter(({ object }) => !kind || object.kind === kind)
    .filter(({ name }) => !search || name.toLowerCase().includes(search.toLowerCase()))
  const found = states ? inAnyState.filter(({ state }) => states.includes(state)) : inAnyState
  const users = usersOf(fleet, sources)
  const ordered = found.toSorted((a, b) => byState(a, b) || (a.name < b.name ? -1 : 1))
  const { items, ...page } = pageOf(ordered, options)
  return {
    ...page,
    counts: countsOf(inAnyState),
    items: items.map(known => rowOf(known, users.get(known.name) ?? 0)),
  }
}

/** How many units and sources refer to each name. */
const usersOf = ({ clusters, onHub }: Fleet, sources: readonly KubernetesObject[]): ReadonlyMap<string, number> => {
  const units = new Set([...clusters.flatMap(at => at.units), ...onHub].map(({ object }) => object))
  const users = new Map<string, number>()
  for (const object of [...units, ...sources])
    for (const name of new Set(neededNames(object as Needing))) users.set(name, (users.get(name) ?? 0) + 1)
  return users
}

const rowOf = ({ object, state, message }: Known, users: number): SourceRow => {
  const { kind, metadata } = object
  const { url } = (object.spec ?? {}) as { readonly url?: string }
  const { artifact } = (object.status ?? {}) as { readonly artifact?: { readonly revision?: string } }
  const ready = statusCondition(object, 'Ready')
  const verified = statusCondition(object, 'SourceVerified')?.status
  return {
    ...{ kind, namespace: metadata.namespace ?? '', name: metadata.name, state, message },
    ...(ready && { reason: ready.reason, since: ready.lastTransitionTime }),
    ...(url && { url }),
    ...(artifact?.revision && { revision: artifact.revision }),
    ...(verified && { verified }),
    users,
  }
}
