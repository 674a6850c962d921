import { type ClusterClient, ClusterError } from '../cluster/client.ts'
import { limiter } from '../cluster/limiter.ts'
import { type KubernetesObject, refKey, refOf } from '../kinds/object.ts'
import type { Clock } from '../ports/clock.ts'
import { applyStages } from '../rules/apply-order.ts'
import { inventoryId } from '../rules/inventory.ts'
import { ApplyError, type ApplyFailure, dryRunFailure, writeFailure } from './apply-error.ts'
import { type Change, type ChangeSet, changeOf } from './change-set.ts'
import type { Health } from './health.ts'
import { judge, type Verdict } from './judge.ts'
import { normalize } from './normalize.ts'
import { type Observed, observe } from './observe.ts'
import { type Owner, withOwnerLabels } from './owner.ts'
import { policies } from './policies.ts'
import { awaitReady } from './readiness.ts'
import { type WriteContext, write } from './write.ts'

export interface ApplyAllOptions {
  /** `kustomize-controller`: objects change hands between Flux and Keelson without a conflict. */
  readonly fieldManager: string
  readonly owner: Owner
  /** Inventory ids of earlier runs: these objects are looked for before they are written. */
  readonly recorded: ReadonlySet<string>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** Recreate objects whose immutable fields changed. */
  readonly force?: boolean
  /** The file an object came from, for messages. */
  readonly originOf?: (object: KubernetesObject) => string | undefined
  /** Kinds that are applied in a stage of their own, after definitions and classes (KS-292). */
  readonly isCustomStage?: (ref: { readonly group: string; readonly kind: string }) => boolean
  /** Managers, by the beginning of their names, whose changes are undone like kubectl's (KS-287). */
  readonly overriddenManagers?: readonly string[]
  /** Requests at a time (KS-294). */
  readonly concurrency?: number
  readonly signal?: AbortSignal
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
  const { owner, originOf, clock, signal } = options
  const limited = limiter(options.concurrency ?? 16)
  const context: WriteContext = {
    cluster,
    fieldManager: options.fieldManager,
    overriddenManagers: options.overriddenManagers ?? [],
    force: options.force ?? false,
    policies: policies(owner.group),
    clock,
    signal,
  }
  const desired = objects.map(object => withOwnerLabels(normalize(object), owner))
  const origins = new Map(desired.map((object, index) => [object, originOf?.(objects[index]!)]))
  const stages = applyStages(desired, options.isCustomStage)
  const known = await refusalOf(observeRecorded(cluster, desired, options), cause => {
    const [first] = stages.flatMap(({ objects }) => objects)
    return dryRunFailure(refOf(first!), cause, origins.get(first!))
  })
  if ('refusal' in known) throw new ApplyError([known.refusal], [])

  const judgements = new Map<KubernetesObject, Judgement>()
  const judgeAll = async (objects: readonly KubernetesObject[]): Promise<void> => {
    const judgeOne = (object: KubernetesObject) =>
      refusalOf(judge(object, known.get(refKey(refOf(object))), context), cause =>
        dryRunFailure(refOf(object), cause, origins.get(object)),
      )
    const judged = await Promise.all(objects.map(object => limited(() => judgeOne(object), signal)))
    for (const [index, object] of objects.entries()) judgements.set(object, judged[index]!)
  }
  const isRefused = (object: KubernetesObject): boolean => 'refusal' in judgements.get(object)!
  const changes: Change[] = []
  const failOn = (results: readonly (object | Refused)[]): void => {
    const failures = results.flatMap(result => ('refusal' in result ? result.refusal : []))
    if (failures.length > 0) throw new ApplyError(failures, changes)
  }

  await judgeAll(stages.flatMap(({ objects }) => objects))
  failOn(finalRefusals(stages.map(({ objects }) => objects.map(object => judgements.get(object)!))))

  for (const { objects, mustBeReady } of stages) {
    await judgeAll(objects.filter(isRefused))
    failOn(objects.map(object => judgements.get(object)!))
    const definitions: KubernetesObject[] = []
    for (const ofOneKind of Map.groupBy(objects, ({ apiVersion, kind }) => `${apiVersion}/${kind}`).values()) {
      const writeOne = async (object: KubernetesObject) => {
        const written = write(object, judgements.get(object) as Verdict, context)
        return refusalOf(written, cause => writeFailure(refOf(object), cause, origins.get(object)))
      }
      const results = await Promise.all(ofOneKind.map(object => limited(() => writeOne(object), signal)))
      for (const [index, result] of results.entries()) {
        if ('refusal' in result || result.action === 'terminating') continue
        changes.push(changeOf(ofOneKind[index]!, result.action, origins.get(ofOneKind[index]!)))
        if (result.live) definitions.push(result.live)
      }
      failOn(results)
      const terminating = results.flatMap(result => ('waitingFor' in result ? result.waitingFor : []))
      if (terminating.length > 0) return { changes, waitingFor: terminating }
    }
    const waitingFor = mustBeReady ? await awaitReady(cluster, definitions, clock, signal) : []
    if (waitingFor.length > 0) return { changes, waitingFor }
  }
  return { changes, waitingFor: [] }
}

interface Refused {
  readonly refusal: ApplyFailure
}
type Judgement = Verdict | Refused

const refusalOf = async <T>(work: Promise<T>, tell: (cause: ClusterError) => ApplyFailure): Promise<T | Refused> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof ClusterError) return { refusal: tell(error) }
    throw error
  }
}

/**
 * The refusals that nothing in this set can heal. Where an earlier stage is about to write something, a kind, namespace
 * or permission that is missing now may be there by then.
 */
const finalRefusals = (stages: readonly (readonly Judgement[])[]): readonly Judgement[] => {
  const mayHeal = ({ refusal }: Refused) => ['noMatch', 'notFound', 'forbidden'].includes(refusal.cause.code)
  const isWrite = (judgement: Judgement) =>
    'action' in judgement && !['skipped', 'unchanged'].includes(judgement.action)
  const firstWrite = stages.findIndex(stage => stage.some(isWrite))
  return stages.flatMap((stage, index) =>
    stage.filter(one => 'refusal' in one && !(firstWrite >= 0 && firstWrite < index && mayHeal(one))),
  )
}

const observeRecorded = (
  cluster: ClusterClient,
  desired: readonly KubernetesObject[],
  { recorded, owner, signal }: ApplyAllOptions,
): Promise<Observed> => {
  const targets = desired
    .filter(object => recorded.has(inventoryId(refOf(object))))
    .map(object => ({ apiVersion: object.apiVersion, ref: refOf(object) }))
  return observe(cluster, targets, owner, signal)
}
