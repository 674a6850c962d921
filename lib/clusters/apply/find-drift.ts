import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ClusterClient } from '../client/client.ts'
import { type ApplyAllOptions, contextOf, readRecorded, refusalsOf } from './apply-all.ts'
import { applyEngine, isAccepted, isRefused } from './apply-engine.ts'
import { type Change, type ChangeSet, changeOf } from './change-set.ts'
import { plan } from './plan.ts'
import { provisionalVerdicts } from './provisional.ts'

/**
 * The objects that differ from what was applied, or are missing: what `applyAll` would write, without writing it. Where an object is still there, with its
 * states now and as it should be. Fails with an ApplyError.
 */
export const findDrift = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  options: ApplyAllOptions,
): Promise<ChangeSet> => {
  const engine = applyEngine(contextOf(cluster, options), options.concurrency ?? 16)
  const stages = await plan(cluster, objects, options)
  const known = await readRecorded(cluster, stages, options)
  const judged = await Promise.all(stages.map(({ items }) => engine.judgeAll(items, known)))
  // What can't be judged before something else is there is missing itself.
  const provisional = provisionalVerdicts(judged)
  const all = judged.flat()
  refusalsOf(false).meet(
    all.filter(isRefused).filter(one => !provisional.has(one)),
    [],
  )
  return all.flatMap((one): readonly Change[] => {
    const { desired, origin } = one
    const missing = changeOf(desired, 'drifted', origin)
    if (!isAccepted(one)) return [missing]
    const { verdict } = one
    switch (verdict.action) {
      case 'created':
        return [missing]
      case 'recreated':
        return [{ ...missing, states: { before: verdict.live, after: { ...verdict.live, ...desired } } }]
      case 'configured':
        return verdict.states ? [{ ...missing, states: verdict.states }] : []
      default:
        return []
    }
  })
}
