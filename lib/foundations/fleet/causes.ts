/** Why units of a fleet fail: failures folded by what has to be mended. Pure. */
import { driftedCondition } from '../kinds/applied.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import type { Cause, Fault } from './cause.ts'
import { clusterCauses, clusterFault } from './cluster-causes.ts'
import { clusterNameOf, type Fleet, type FleetCluster, objectName, type Unit } from './fleet-clusters.ts'
import { type Needing, neededNames, sourceNames } from './needed-by.ts'
import { isOff, objectStateOf, statusCondition } from './object-state.ts'

export interface CausesOptions {
  readonly fleet: Fleet
  /** What units depend on: sources, charts, input providers. */
  readonly sources: readonly KubernetesObject[]
}

/** A cause while its units are collected. */
interface Draft extends Omit<Fault, 'since'> {
  since?: string | undefined
  readonly clusters: Set<string>
  readonly units: Set<string>
}

/** The causes of what fails or is about to: errors first, then by the number of units held up. */
export const causesOf = ({ fleet, sources }: CausesOptions): readonly Cause[] => {
  const placed = placedUnits(fleet)
  const objects = new Map<string, { readonly object: KubernetesObject; readonly at?: FleetCluster | undefined }>()
  for (const object of sources) objects.set(objectName(object), { object })
  for (const { name, unit, at } of placed) objects.set(name, { object: unit.object, at })
  const drafts = new Map<string, Draft>()
  /** The cause with this key, begun or found; it is as old as the first failure for it. */
  const draft = (key: string, fault: Fault): string => {
    const known = drafts.get(key) ?? { ...fault, clusters: new Set(), units: new Set() }
    if (fault.since !== undefined && !(known.since !== undefined && known.since <= fault.since))
      known.since = fault.since
    drafts.set(key, known)
    return key
  }

  const known = new Map<string, string | undefined>()
  /** The key of the cause that an object fails for; undefined if it does not fail, or fails in a circle. */
  const rootOf = (name: string): string | undefined => {
    if (known.has(name)) return known.get(name)
    known.set(name, undefined)
    const { object, at } = objects.get(name)!
    const root = findRoot(name, object, at)
    known.set(name, root)
    return root
  }
  const findRoot = (name: string, object: KubernetesObject, at: FleetCluster | undefined): string | undefined => {
    const { state, message } = objectStateOf(object)
    if (state === 'ready' || state === 'suspended') return undefined
    const reason = statusCondition(object, 'Ready')?.reason ?? ''
    const ofCluster = clusterFault(at, reason, message)
    if (ofCluster) return draft(ofCluster.key, { severity: 'error', ...sinceOf(object), ...ofCluster.fault })
    if (state === 'progressing' || waitingReasons.has(reason)) {
      for (const needed of neededNames(object as Needing)) {
        const root = objects.has(needed) ? rootOf(needed) : undefined
        if (root !== undefined) return root
      }
      if (state === 'progressing') return undefined
    }
    return ownFailure(name, object, reason)
  }
  const ownFailure = (name: string, object: KubernetesObject, reason: string): string => {
    const message = (statusCondition(object, 'Stalled')?.message || statusCondition(object, 'Ready')?.message) ?? ''
    const key = JSON.stringify([reason, message.replaceAll(duration, '#'), neededNames(object as Needing)[0]])
    return draft(key, { severity: 'error', object: name, reason, message, ...sinceOf(object) })
  }

  const behind = new Map<string, string | undefined>()
  /** The cause that keeps new revisions from an object whose source fails, although it is ready with what it has. */
  const behindOf = (object: KubernetesObject): string | undefined => {
    for (const source of sourceNames(object as Needing)) {
      const root = behindSource(source)
      if (root !== undefined) return root
    }
    return undefined
  }
  const behindSource = (name: string): string | undefined => {
    if (behind.has(name)) return behind.get(name)
    behind.set(name, undefined)
    const source = objects.get(name)?.object
    const root = source && (rootOf(name) ?? (isOff(source) ? undefined : behindOf(source)))
    behind.set(name, root)
    return root
  }

  for (const { unit, at } of placed) {
    const fault = unit.state === 'suspended' ? undefined : driftOf(unit.object)
    if (fault) addUnit(drafts.get(draft(`drift ${fault.object}`, fault))!, fault.object, at)
  }
  const ofClusters = clusterCauses(fleet)
  for (const { key, fault } of ofClusters) draft(key, fault)
  for (const source of sources) rootOf(objectName(source))
  for (const { name, unit, at } of placed) {
    if (unit.state === 'suspended') continue
    const root = (unit.state === 'ready' ? undefined : rootOf(name)) ?? behindOf(unit.object)
    if (root !== undefined) addUnit(drafts.get(root)!, name, at)
  }
  for (const { key, at, isWhole } of ofClusters) {
    const found = drafts.get(key)!
    found.clusters.add(clusterNameOf(at))
    for (const { object, state } of at.units)
      if (state !== 'suspended' && (isWhole || rootOf(objectName(object)) === undefined))
        addUnit(found, objectName(object), at)
  }
  return [...drafts.values()]
    .map(({ clusters, units, since, ...fault }) => ({
      ...fault,
      ...(since !== undefined && { since }),
      clusters: [...clusters],
      units: [...units],
    }))
    .sort(byWeight)
}

interface PlacedUnit {
  readonly name: string
  readonly unit: Unit
  readonly at?: FleetCluster
}

/** Each unit with its cluster. Of those on several, the clusters without a Cluster come last: a cause is named after the Cluster, if there is one. */
const placedUnits = ({ clusters, onHub }: Fleet): readonly PlacedUnit[] => {
  const placed: PlacedUnit[] = []
  for (const at of clusters.toSorted(withClusterFirst))
    for (const unit of at.units) placed.push({ name: objectName(unit.object), unit, at })
  for (const unit of onHub) placed.push({ name: objectName(unit.object), unit })
  return placed
}

const withClusterFirst = (a: FleetCluster, b: FleetCluster): number => Number(!a.cluster) - Number(!b.cluster)

/** Reasons of a unit that can't begin because of another object. */
const waitingReasons = new Set(['DependencyNotReady', 'ArtifactFailed', 'SourceNotReady'])

/** Durations differ from one failure to the next. */
const duration = /\b(?:\d+(?:\.\d+)?(?:ms|[µn]?s|m|h))+\b/g

const sinceOf = (object: KubernetesObject): { readonly since?: string } => {
  const since = statusCondition(object, 'Ready')?.lastTransitionTime
  return since === undefined ? {} : { since }
}

/** What was changed on the cluster of a unit that only reports it. */
const driftOf = (object: KubernetesObject): Fault | undefined => {
  const drifted = statusCondition(object, driftedCondition)
  if (drifted?.status !== 'True') return undefined
  const { reason, message, lastTransitionTime: since } = drifted
  return { severity: 'warning', object: objectName(object), reason, message, since }
}

const addUnit = ({ clusters, units }: Draft, name: string, at: FleetCluster | undefined): void => {
  units.add(name)
  if (at) clusters.add(clusterNameOf(at))
}

const byWeight = (a: Cause, b: Cause): number => {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1
  return b.units.length - a.units.length || (a.object < b.object ? -1 : 1)
}
