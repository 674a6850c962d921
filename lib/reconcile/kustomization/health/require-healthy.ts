import type { ChangeSet } from '../../../clusters/apply/change-set.ts'
import { describeChanges } from '../../../clusters/apply/change-set.ts'
import { formatDuration } from '../../../foundations/kinds/duration.ts'
import { timeoutOf } from '../../../foundations/kinds/kustomization.ts'
import { isConditionTrue } from '../../../foundations/rules/conditions.ts'
import { errorMessage } from '../../../foundations/rules/error-message.ts'
import { healthPollMs } from '../../../foundations/rules/schedule.ts'
import { inProgress } from '../../applied-objects/run.ts'
import { Halt } from '../../runtime/halt.ts'
import type { Context } from '../context.ts'
import { progressEvent } from '../events.ts'
import type { Pruned } from '../prune-stale.ts'
import type { KustomizationRun } from '../run.ts'
import { runFailure } from '../run.ts'
import type { CustomHealth } from './custom-health.ts'
import type { Check } from './health.ts'
import { healthTargets, judgeHealth } from './health.ts'
import { checkingMessage, checkOf, ongoingCheck } from './ongoing-check.ts'
import { sealSecrets } from './sealed-secrets.ts'

/** What is to become healthy. */
export interface Applied {
  readonly changes: ChangeSet
  /** Of its build. */
  readonly secrets: readonly string[]
}

/**
 * Requires the objects to be healthy, if the spec demands it. Halts while they are not; later passes continue from there,
 * see `continueHealthCheck`. Resolves to whether there was anything to check.
 */
export const requireHealthy = async (
  run: KustomizationRun,
  { changes, secrets }: Applied,
  { entries, postponed }: Pruned,
  custom: CustomHealth,
  { unfinished, keys, settings: { failFast } }: Pick<Context, 'unfinished' | 'keys' | 'settings'>,
): Promise<boolean> => {
  const { applier: kustomization, pass, clock, revision } = run
  const targets = targetsOf(run, changes)
  if (!targets) return false
  pass.note({ phase: 'Health' })
  const message = checkingMessage(revision.revision, kustomization)
  const ongoing = await ongoingCheck(kustomization, unfinished, clock.now())
  const since = ongoing?.revision.revision === revision.revision ? ongoing.since : clock.now()
  await pass.progress(message, {
    ready: inProgress,
    routine: run.routine,
    conditions: { Healthy: { status: 'Unknown', reason: 'Progressing', message, since } },
    status: { inventory: { entries } },
  })
  const { conditions, lastAppliedRevision } = kustomization.status ?? {}
  const isNewAndChanged = lastAppliedRevision !== revision.revision && describeChanges(changes) !== ''
  const isNews = isNewAndChanged || !isConditionTrue(conditions, 'Healthy')
  const state = await pollHealth(run, { targets, since, failFast, custom, owner: run.owner }, isNews)
  if (state === 'healthy') return true
  const sealed = await sealSecrets(run, secrets, keys)
  const found = { since, isNews, deletionsWait: postponed.length > 0, secrets: sealed }
  await unfinished.keep(kustomization, checkOf(run, found))
  throw stillWaiting(run, since)
}

const targetsOf = (run: KustomizationRun, changes: ChangeSet) => {
  try {
    return healthTargets(
      run.applier,
      changes.filter(({ action }) => action !== 'skipped'), // objects that are left alone may be in any state (KS-107)
    )
  } catch (error) {
    throw runFailure(run, 'HealthCheckFailed', errorMessage(error))
  }
}

/** Polls once. Halts if the objects have failed or the time is up. `isNews`: whether success is reported with an event. */
export const pollHealth = async (
  run: KustomizationRun,
  check: Check,
  isNews: boolean,
): Promise<'healthy' | 'waiting' | 'missing'> => {
  const { applier: kustomization, pass, clock, cluster, revision } = run
  const verdict = await judgeHealth(cluster, kustomization, check, clock.now(), pass.signal)
  if (verdict.type === 'waiting') return verdict.missing ? 'missing' : 'waiting'
  const took = formatDuration(clock.now() - check.since)
  if (verdict.type === 'unhealthy') {
    const Healthy = { status: 'False', reason: 'HealthCheckFailed', message: verdict.message } as const
    const message = `health check failed after ${took}: ${verdict.message}`
    throw runFailure(run, 'HealthCheckFailed', message, { conditions: { Healthy } })
  }
  const message = `Health check passed in ${took}`
  if (isNews) pass.event(progressEvent(message, revision))
  await pass.progress(checkingMessage(revision.revision, kustomization), {
    ready: inProgress,
    routine: run.routine && !isNews,
    conditions: { Healthy: { status: 'True', reason: 'Succeeded', message } },
  })
  return 'healthy'
}

/** Later passes poll again, see `continueHealthCheck`. */
export const stillWaiting = ({ applier, clock }: KustomizationRun, since: number): Halt<typeof applier> => {
  const afterMs = healthPollMs(clock.now() - since, timeoutOf(applier))
  return new Halt({ type: 'waiting', afterMs, leavesRequest: true })
}
