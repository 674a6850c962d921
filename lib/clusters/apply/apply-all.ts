import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { ClusterClient } from '../client/client.ts'
import {
  applyEngine,
  byKind,
  isAccepted,
  isRefused,
  type Judged,
  orRefuse,
  type Refused,
  requireNone,
} from './apply-engine.ts'
import type { Change, ChangeSet } from './change-set.ts'
import { changedSchemas } from './changed-schemas.ts'
import type { Health } from './health.ts'
import type { IgnoredFields } from './ignored-fields.ts'
import { type Observed, observe } from './observe.ts'
import { type PlanOptions, plan, type Stages } from './plan.ts'
import { policies } from './policies.ts'
import { type PendingPart, provisionalVerdicts } from './provisional.ts'
import { awaitReady } from './readiness.ts'
import type { WriteContext } from './write.ts'

export interface ApplyAllOptions extends PlanOptions {
  /** `kustomize-controller`: objects can move between Flux and Keelson without a conflict. */
  readonly fieldManager: string
  /** Inventory ids of earlier runs: these objects are read before they are written. */
  readonly recorded: ReadonlySet<string>
  readonly clock: Clock
  /** Recreate objects whose immutable fields changed. */
  readonly force?: boolean
  /** Managers, by prefix of their names, whose changes are undone like kubectl's (KS-287). */
  readonly overriddenManagers?: readonly string[]
  /** Fields that are neither compared nor overwritten (KS-211). */
  readonly ignored?: IgnoredFields
  /** Migrate managed fields of older API versions to the one that is applied (KS-293). */
  readonly migrateVersions?: boolean
  /** Apply what is accepted even if other objects are refused, then fail; otherwise nothing is written. */
  readonly continueOnRefusal?: boolean
  /** Concurrent requests (KS-294). */
  readonly concurrency?: number
  /** Changes have the objects before and after. */
  readonly withStates?: boolean
}

export interface ApplyResult {
  readonly changes: ChangeSet
  /** Definitions that are not ready yet. If there are any, the stages after them have not been applied: retry soon. */
  readonly waitingFor: readonly Health[]
}

/**
 * Makes a cluster's objects as desired. Judges all objects before it writes any, so that all errors are reported at once and
 * an invalid set changes nothing. Then writes only what differs, stage by stage, kind by kind. Objects that can't be judged
 * before their definition exists (a new kind, a changed schema, a new namespace) are judged after that stage. Fails with
 * an ApplyError.
 */
export const applyAll = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  options: ApplyAllOptions,
): Promise<ApplyResult> => {
  const { clock, signal } = options
  const engine = applyEngine(contextOf(cluster, options), options.concurrency ?? 16)
  const stages = await plan(cluster, objects, options)
  const known = await readRecorded(cluster, stages, options)

  const refusals = refusalsOf(options.continueOnRefusal ?? false)
  const judged = await Promise.all(stages.map(({ items }) => engine.judgeAll(items, known)))
  const provisional = provisionalVerdicts(judged)
  const isFinal = (one: Judged) => !provisional.has(one)
  refusals.meet(judged.flat().filter(isRefused).filter(isFinal), [])
  /** Judges again the objects that waited for an earlier stage, and fails with those still refused. */
  const settle = async (items: readonly Judged[], waitedFor: PendingPart) => {
    const isAwaited = (one: Judged) => provisional.get(one) === waitedFor
    const again = await engine.judgeAll(items.filter(isAwaited), new Map())
    refusals.meet(again.filter(isRefused), changes)
    return [...items.filter(one => !isAwaited(one)), ...again]
  }

  const changes: Change[] = []
  for (const [index, { mustBeReady }] of stages.entries()) {
    const settled = await settle(judged[index]!, 'earlier stage')
    const schemas = await changedSchemas(cluster, settled.filter(isAccepted), signal)

    const definitions: KubernetesObject[] = []
    for (const ofOneKind of byKind(settled)) {
      const accepted = (await settle(ofOneKind, 'role')).filter(isAccepted)
      const results = await engine.writeAll(accepted)
      changes.push(...results.flatMap(result => ('change' in result ? result.change : [])))
      definitions.push(...results.flatMap(result => ('change' in result ? (result.live ?? []) : [])))
      refusals.meet(results.filter(isRefused), changes)
      const waitingFor = results.flatMap(result => ('waitingFor' in result ? result.waitingFor : []))
      if (waitingFor.length > 0) return { changes, waitingFor }
    }
    const waitingFor = mustBeReady ? await awaitReady(cluster, definitions, schemas, clock, signal) : []
    if (waitingFor.length > 0) return { changes, waitingFor }
  }
  requireNone(refusals.met, changes)
  return { changes, waitingFor: [] }
}

/** Handles refusals: they end the run at once, or are collected until everything accepted has been applied. */
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

/** What judging and writing an object needs. */
export const contextOf = (
  cluster: ClusterClient,
  {
    owner,
    fieldManager,
    overriddenManagers,
    force,
    ignored,
    migrateVersions,
    clock,
    withStates,
    signal,
  }: ApplyAllOptions,
): WriteContext => ({
  cluster,
  fieldManager,
  overriddenManagers: overriddenManagers ?? [],
  force: force ?? false,
  policies: policies(owner.group),
  ignored: ignored ?? (() => []),
  migrateVersions: migrateVersions ?? false,
  withStates: withStates ?? false,
  clock,
  signal,
})

/** The live objects of earlier runs. */
export const readRecorded = async (
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
