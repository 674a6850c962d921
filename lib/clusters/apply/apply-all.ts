import { groupOf, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ClusterClient } from '../client/client.ts'
import {
  type Accepted,
  applyEngine,
  byKind,
  isAccepted,
  isRefused,
  orRefuse,
  type Refused,
  requireNone,
} from './apply-engine.ts'
import type { Change, ChangeSet } from './change-set.ts'
import type { Health } from './health.ts'
import type { IgnoredFields } from './ignored-fields.ts'
import { type Observed, observe } from './observe.ts'
import { type PlanOptions, plan, type Stages } from './plan.ts'
import { policies } from './policies.ts'
import { awaitReady } from './readiness.ts'
import type { WriteContext } from './write.ts'

export interface ApplyAllOptions extends PlanOptions {
  /** `kustomize-controller`: objects change hands between Flux and Keelson without a conflict. */
  readonly fieldManager: string
  /** Inventory ids of earlier runs: these objects are looked for before they are written. */
  readonly recorded: ReadonlySet<string>
  readonly clock: Clock
  /** Recreate objects whose immutable fields changed. */
  readonly force?: boolean
  /** Managers, by the beginning of their names, whose changes are undone like kubectl's (KS-287). */
  readonly overriddenManagers?: readonly string[]
  /** Fields that are neither compared nor overwritten (KS-211). */
  readonly ignored?: IgnoredFields
  /** Move managed fields of older API versions to the one that is applied (KS-293). */
  readonly migrateVersions?: boolean
  /** Apply what is accepted when other objects are refused, and fail afterwards; else nothing is written. */
  readonly continueOnRefusal?: boolean
  /** Requests at a time (KS-294). */
  readonly concurrency?: number
}

export interface ApplyResult {
  readonly changes: ChangeSet
  /** Definitions that are not ready yet. Unless empty, what comes after them has not been applied: come back soon. */
  readonly waitingFor: readonly Health[]
}

/**
 * Makes a cluster's objects as desired. All are judged before any is written, so that every error is told at once and
 * an invalid set changes nothing. Then only what differs is written, stage by stage, kind by kind. What can't be judged
 * before its definition is there (a new kind, a new namespace) is judged after that stage. Fails with an ApplyError.
 */
export const applyAll = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  options: ApplyAllOptions,
): Promise<ApplyResult> => {
  const { clock, signal } = options
  const engine = applyEngine(contextOf(cluster, options), options.concurrency ?? 16)
  const stages = await plan(cluster, objects, options)
  const known = await lookUp(cluster, stages, options)

  const refusals = refusalsOf(options.continueOnRefusal ?? false)
  const judged = await Promise.all(stages.map(({ items }) => engine.judgeAll(items, known)))
  const final = finalRefusals(judged)
  refusals.meet(final, [])

  const changes: Change[] = []
  for (const [index, { mustBeReady }] of stages.entries()) {
    const again = await engine.judgeAll(
      judged[index]!.filter(isRefused).filter(one => !final.includes(one)),
      known,
    )
    refusals.meet(again.filter(isRefused), changes)
    const accepted = [...judged[index]!, ...again].filter(isAccepted)

    const definitions: KubernetesObject[] = []
    for (const ofOneKind of byKind(accepted)) {
      const results = await engine.writeAll(ofOneKind)
      changes.push(...results.flatMap(result => ('change' in result ? result.change : [])))
      definitions.push(...results.flatMap(result => ('change' in result ? (result.live ?? []) : [])))
      refusals.meet(results.filter(isRefused), changes)
      const waitingFor = results.flatMap(result => ('waitingFor' in result ? result.waitingFor : []))
      if (waitingFor.length > 0) return { changes, waitingFor }
    }
    const waitingFor = mustBeReady ? await awaitReady(cluster, definitions, clock, signal) : []
    if (waitingFor.length > 0) return { changes, waitingFor }
  }
  requireNone(refusals.met, changes)
  return { changes, waitingFor: [] }
}

/** What becomes of refusals: they end the run at once, or are kept until all that is accepted has been applied. */
const refusalsOf = (areKept: boolean) => {
  const met: Refused[] = []
  return {
    met: met as readonly Refused[],
    meet(refused: readonly Refused[], changes: ChangeSet): void {
      if (areKept) met.push(...refused)
      else requireNone(refused, changes)
    },
  }
}

const contextOf = (
  cluster: ClusterClient,
  { owner, fieldManager, overriddenManagers, force, ignored, migrateVersions, clock, signal }: ApplyAllOptions,
): WriteContext => ({
  cluster,
  fieldManager,
  overriddenManagers: overriddenManagers ?? [],
  force: force ?? false,
  policies: policies(owner.group),
  ignored: ignored ?? (() => []),
  migrateVersions: migrateVersions ?? false,
  clock,
  signal,
})

/** The objects of earlier runs as they live now. */
const lookUp = async (
  cluster: ClusterClient,
  stages: Stages,
  { recorded, owner, signal }: ApplyAllOptions,
): Promise<Observed> => {
  const items = stages.flatMap(({ items }) => items)
  const targets = items
    .map(({ desired }) => ({ apiVersion: desired.apiVersion, ref: refOf(desired) }))
    .filter(({ ref }) => recorded.has(inventoryId(ref)))
  const [first] = items
  return first ? orRefuse(first, () => observe(cluster, targets, owner, { signal })) : new Map()
}

type Judged = Accepted | Refused

/** The refusals that nothing in earlier stages can heal. */
const finalRefusals = (stages: readonly (readonly Judged[])[]): readonly Refused[] =>
  stages.flatMap((stage, index) => {
    const earlier = stages.slice(0, index).flat()
    return stage.filter(isRefused).filter(one => !mayHeal(one, earlier))
  })

/** Whether the kind or namespace that is missing comes with this set, or what is forbidden now may be allowed by it. */
const mayHeal = ({ desired, failure }: Refused, earlier: readonly Judged[]): boolean => {
  switch (failure.cause.code) {
    case 'noMatch':
      return earlier.some(one => definesKindOf(one.desired, desired))
    case 'notFound':
      return earlier.some(
        one => one.desired.kind === 'Namespace' && one.desired.metadata.name === desired.metadata.namespace,
      )
    case 'forbidden':
      return earlier.some(one => isAccepted(one) && !['skipped', 'unchanged'].includes(one.verdict.action))
    default:
      return false
  }
}

const definesKindOf = ({ kind, spec }: KubernetesObject, object: KubernetesObject): boolean => {
  const { group, names } = (spec ?? {}) as { readonly group?: string; readonly names?: { readonly kind?: string } }
  return kind === 'CustomResourceDefinition' && group === groupOf(object.apiVersion) && names?.kind === object.kind
}
