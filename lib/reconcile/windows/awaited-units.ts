import { artifactOf } from '../../foundations/kinds/artifact.ts'
import { dependsOnAnnotation, type UnitDependency, unitDependencies } from '../../foundations/kinds/depends-on.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { awaitedBy } from '../../foundations/rules/awaited.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { findCycle } from '../../foundations/rules/dependencies.ts'
import { sourceOfUnit } from '../../foundations/rules/rolled-out.ts'
import { accessOf } from '../../foundations/rules/target.ts'
import { revisionsAppliedBy } from '../../foundations/rules/unit-revisions.ts'
import { AccessDenied, type CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import { PinBroken, pinnedArtifact } from '../source-artifact/pinned-artifact.ts'
import type { Restraining } from './restraint.ts'

type Reads = Pick<References, 'anywhere' | 'ownNamespace' | 'clustersWith'>

/**
 * What keeps a unit from acting until the units that its annotation `keelson.dev/depends-on` names are ready; undefined if they are, or if it names none.
 * Costs nothing without the annotation. Names a cycle if there is one.
 */
export const awaitedUnits = async (
  unit: KubernetesObject,
  reads: Reads,
  settings: CrossNamespaceSettings,
): Promise<Restraining | undefined> => {
  const { dependencies, invalid } = unitDependencies(unit)
  if (invalid.length > 0)
    return { reason: 'InvalidDependencies', why: `annotation ${dependsOnAnnotation}: '${invalid[0]}' is no dependency` }
  for (const dependency of dependencies) {
    const problem = await problemOf(unit, dependency, reads, settings)
    if (problem === undefined) continue
    const cycle = await cycleThrough(unit, reads, settings)
    const why = `dependency ${describeRef(dependency.ref)} ${problem}`
    return { reason: 'DependencyNotReady', why: cycle ? `${why}: dependency cycle ${cycle.join(' -> ')}` : why }
  }
  return undefined
}

/** Why a dependency is not ready at its newest revision. */
const problemOf = async (
  unit: KubernetesObject,
  { ref, cluster }: UnitDependency,
  reads: Reads,
  settings: CrossNamespaceSettings,
): Promise<string | undefined> => {
  const found = await orDenied(reads.anywhere<KubernetesObject>(unit, ref, ref, settings))
  if (typeof found === 'string') return `can't be read: ${found}`
  if (!found) return 'was not found'
  if (cluster && !(await appliesTo(found, cluster, reads)))
    return `does not apply to Cluster ${cluster.namespace}/${cluster.name}`
  return (await newestProblem(found, reads)) ?? readinessProblem(found)
}

const orDenied = async <T>(reading: Promise<T>): Promise<T | string> => {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AccessDenied) return error.message
    throw error
  }
}

const appliesTo = async (
  unit: KubernetesObject,
  wanted: { readonly namespace: string; readonly name: string },
  reads: Reads,
): Promise<boolean> => {
  const access = accessOf(unit, await reads.ownNamespace(unit))
  const clusters = access ? await reads.clustersWith(access) : []
  return clusters.some(({ metadata }) => metadata.namespace === wanted.namespace && metadata.name === wanted.name)
}

const readinessProblem = ({ metadata: { generation }, status }: KubernetesObject): string | undefined => {
  const { conditions, observedGeneration } = (status ?? {}) as {
    readonly conditions?: readonly Condition[]
    readonly observedGeneration?: number
  }
  const ready = conditionOf(conditions, 'Ready')
  // A ResourceSet has the generation in its conditions only.
  const isCurrent = [observedGeneration, ready?.observedGeneration].includes(generation)
  return isCurrent && ready?.status === 'True' ? undefined : 'is not ready'
}

/**
 * The newest revision of a unit is that of its source, or the one that a Rollout holds it at: a revision that waits for its stage holds up no other
 * unit. A ResourceSet has none.
 */
const newestProblem = async (unit: KubernetesObject, reads: Reads): Promise<string | undefined> => {
  const named = sourceOfUnit(unit)
  if (!named) return undefined
  const source = { group: sourceGroup, ...named }
  try {
    const newest = await reads.anywhere<KubernetesObject>(unit, source, source, everyNamespace)
    const artifact = (await pinnedArtifact(unit, reads)) ?? (newest && artifactOf(newest))
    if (!artifact) return `waits for an artifact of ${describeRef(source)}`
    const { revision } = artifact
    return revisionsAppliedBy(unit).includes(revision) ? undefined : `has not applied revision ${revision}`
  } catch (error) {
    if (error instanceof PinBroken) return error.message
    throw error
  }
}

/** Follows only what the unit may read. */
const cycleThrough = async (
  unit: KubernetesObject,
  reads: Reads,
  settings: CrossNamespaceSettings,
): Promise<readonly string[] | undefined> => {
  const refs = new Map<string, ObjectRef>()
  const start = describeRef(refOf(unit))
  return findCycle(start, async name => {
    const ref = refs.get(name)
    const found =
      name === start ? unit : ref && (await orDenied(reads.anywhere<KubernetesObject>(unit, ref, ref, settings)))
    const next = found && typeof found !== 'string' ? awaitedBy(found) : []
    for (const one of next) refs.set(describeRef(one), one)
    return next.map(describeRef)
  })
}
