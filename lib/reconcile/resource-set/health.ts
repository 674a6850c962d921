import { checkHealth } from '../../clusters/apply/health.ts'
import type { Target } from '../../clusters/apply/observe.ts'
import { type HealthVerdict, verdictOf } from '../../clusters/apply/verdict.ts'
import { kstatus } from '../../engines/kstatus/kstatus.ts'
import { inProgress, type KStatus } from '../../engines/kstatus/result.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { ResourceSetRun } from './run.ts'

/** Polls the cluster once. */
export const judgeHealth = async (
  run: ResourceSetRun,
  targets: readonly Target[],
  isTimeUp: boolean,
): Promise<HealthVerdict> => {
  const { cluster, owner, clock, pass } = run
  const now = clock.now()
  const options = { now, signal: pass.signal, owner, judge: judgeOperatorKind(now) }
  return verdictOf(checkHealth(cluster, targets, options), { isTimeUp, failFast: true, jobsMayBeGone: true })
}

/** flux-operator's kinds report the observed generation in their Ready condition only. */
export const judgeOperatorKind =
  (now: number) =>
  (object: KubernetesObject): KStatus | undefined => {
    if (groupOf(object.apiVersion) !== operatorGroup) return undefined
    const general = kstatus(object, now)
    const { conditions } = (object.status ?? {}) as { readonly conditions?: Parameters<typeof conditionOf>[0] }
    const ready = conditionOf(conditions, 'Ready')
    const isCurrent = ready?.status === 'True' && ready.observedGeneration === object.metadata.generation
    if (general.status !== 'Current' || isCurrent) return general
    return inProgress('LatestGenerationNotObserved', 'Ready does not report the latest generation yet')
  }
