import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ClusterClient } from '../client/client.ts'
import { type ApplyAllOptions, contextOf, readRecorded } from './apply-all.ts'
import { applyEngine, isRefused, type Judged, type Refused } from './apply-engine.ts'
import { plan } from './plan.ts'
import { provisionalVerdicts } from './provisional.ts'

/** What a cluster says of a set of objects as it is now. */
export interface JudgedObjects {
  /** In apply order. */
  readonly all: readonly Judged[]
  /** Those that objects before them in the set may change: they can't be judged before these are applied. */
  isProvisional(one: Judged): boolean
  /** Those that the cluster refuses, whatever is applied before them. */
  readonly refused: readonly Refused[]
  /**
   * A definition or Namespace of the set that is being deleted: until it is gone, what comes after it is not applied, and nothing
   * is pruned.
   */
  readonly goingAway?: Judged
  /** Whether `goingAway` is in an earlier stage. */
  isBehindDeletion(one: Judged): boolean
  /** What the cluster says of an object now. */
  judgeAgain(one: Judged): Promise<Judged>
}

/** Judges objects as `applyAll` would before it writes the first of them, and writes nothing. Fails with an ApplyError. */
export const judgeObjects = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  options: ApplyAllOptions,
): Promise<JudgedObjects> => {
  // To migrate versions is to write.
  const context = { ...contextOf(cluster, options), migrateVersions: false, withDefaults: true }
  const engine = applyEngine(context, options.concurrency ?? 16)
  const stages = await plan(cluster, objects, options)
  const known = await readRecorded(cluster, stages, options)
  const judged = await Promise.all(stages.map(({ items }) => engine.judgeAll(items, known)))
  const provisional = provisionalVerdicts(judged)
  const all = judged.flat()
  const blocking = judged.findIndex((stage, index) => stages[index]!.mustBeReady && stage.some(isGoingAway))
  const going = judged[blocking]?.find(isGoingAway)
  const held = new Set(going ? judged.slice(blocking + 1).flat() : [])
  return {
    all,
    ...(going && { goingAway: going }),
    isBehindDeletion: one => held.has(one),
    judgeAgain: async one => (await engine.judgeAll([one], new Map()))[0]!,
    isProvisional: one => provisional.has(one),
    refused: all.filter(isRefused).filter(one => !provisional.has(one)),
  }
}

const isGoingAway = (one: Judged): boolean =>
  !isRefused(one) && 'live' in one.verdict && one.verdict.live?.metadata.deletionTimestamp !== undefined
