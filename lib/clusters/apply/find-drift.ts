import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ClusterClient } from '../client/client.ts'
import type { ApplyAllOptions } from './apply-all.ts'
import { isAccepted, requireNone } from './apply-engine.ts'
import { type Change, type ChangeSet, changeOf } from './change-set.ts'
import { judgeObjects } from './judge-objects.ts'

/**
 * Compares objects that were applied before with the cluster, and writes nothing. What `applyAll` would write is `drifted`; where such an object is
 * still there, with its states now and as it should be. Fails with an ApplyError.
 */
export const findDrift = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  options: ApplyAllOptions,
): Promise<ChangeSet> => {
  const { all, refused } = await judgeObjects(cluster, objects, options)
  requireNone(refused, [])
  return all.map((one): Change => {
    const { desired, origin } = one
    const missing = changeOf(desired, 'drifted', origin)
    // What can't be judged before something else is there is missing itself.
    if (!isAccepted(one)) return missing
    const { verdict } = one
    switch (verdict.action) {
      case 'created':
        return missing
      case 'recreated':
        return { ...missing, states: { before: verdict.live, after: { ...verdict.live, ...desired } } }
      case 'configured':
        // An object that only belongs to other managers, too, has not drifted.
        return verdict.states ? { ...missing, states: verdict.states } : changeOf(desired, 'unchanged', origin)
      default:
        return changeOf(desired, verdict.action, origin)
    }
  })
}
