import type { Health } from '../../apply/health.ts'
import { checkHealth, describeHealth } from '../../apply/health.ts'
import type { Target } from '../../apply/observe.ts'
import { ClusterError } from '../../cluster/client.ts'
import { operatorGroup } from '../../kinds/flux-operator.ts'
import type { KubernetesObject } from '../../kinds/object.ts'
import { groupOf } from '../../kinds/object.ts'
import { kstatus } from '../../kstatus/kstatus.ts'
import { inProgress, type KStatus } from '../../kstatus/result.ts'
import { conditionOf } from '../../rules/conditions.ts'
import { ownerOf } from './owner.ts'
import type { Run } from './run.ts'

/** How objects are doing. `missing`: some that were applied are not there. */
export type Verdict =
  | { readonly type: 'healthy' }
  | { readonly type: 'unhealthy'; readonly message: string }
  | { readonly type: 'waiting'; readonly missing: boolean }

/** One look. A cluster that is away may come back: only the time that is up ends that. */
export const judgeHealth = async (run: Run, targets: readonly Target[], isTimeUp: boolean): Promise<Verdict> => {
  const { set, cluster, clock, pass } = run
  const now = clock.now()
  const options = { now, signal: pass.signal, owner: ownerOf(set), judge: judgeOperatorKind(now) }
  let notHealthy: readonly Health[]
  try {
    const all = await checkHealth(cluster, targets, options)
    notHealthy = all.filter(one => one.status !== 'Current' && !isFinishedJob(one))
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return isTimeUp ? { type: 'unhealthy', message: error.message } : { type: 'waiting', missing: false }
  }
  const failed = notHealthy.filter(({ status }) => status === 'Failed')
  if (notHealthy.length === 0) return { type: 'healthy' }
  if (isTimeUp) return unhealthy('timeout waiting for', notHealthy)
  if (failed.length > 0) return unhealthy('failed early due to stalled resources', failed)
  return { type: 'waiting', missing: notHealthy.some(({ status }) => status === 'NotFound') }
}

const unhealthy = (what: string, health: readonly Health[]): Verdict => ({
  type: 'unhealthy',
  message: `${what}: [${health.map(describeHealth).join(', ')}]`,
})

/** A Job that was applied and is gone has run: its time to live has ended. */
const isFinishedJob = ({ ref, status }: Health): boolean =>
  status === 'NotFound' && ref.kind === 'Job' && ref.group === 'batch'

/** The kinds of flux-operator tell the generation they are about in their Ready condition only. */
export const judgeOperatorKind =
  (now: number) =>
  (object: KubernetesObject): KStatus | undefined => {
    if (groupOf(object.apiVersion) !== operatorGroup) return undefined
    const general = kstatus(object, now)
    const { conditions } = (object.status ?? {}) as { readonly conditions?: Parameters<typeof conditionOf>[0] }
    const ready = conditionOf(conditions, 'Ready')
    const isCurrent = ready?.status === 'True' && ready.observedGeneration === object.metadata.generation
    if (general.status !== 'Current' || isCurrent) return general
    return inProgress('LatestGenerationNotObserved', 'Ready does not tell of the latest generation yet')
  }
