import { checkHealth, describeHealth, type Health } from '../../../apply/health.ts'
import type { Target } from '../../../apply/observe.ts'
import type { Owner } from '../../../apply/owner.ts'
import { policies } from '../../../apply/policies.ts'
import type { ClusterClient } from '../../../cluster/client.ts'
import { ClusterError } from '../../../cluster/client.ts'
import type { Kustomization } from '../../../kinds/kustomization.ts'
import { timeoutOf } from '../../../kinds/kustomization.ts'
import type { KubernetesObject } from '../../../kinds/object.ts'
import { groupOf } from '../../../kinds/object.ts'
import { current } from '../../../kstatus/result.ts'
import { ownerOf } from '../owner.ts'
import type { CustomHealth } from './custom-health.ts'

/** How the objects are doing. `missing`: some that were applied are not there. */
export type Verdict =
  | { readonly type: 'healthy' }
  | { readonly type: 'unhealthy'; readonly message: string }
  | { readonly type: 'waiting'; readonly missing: boolean }

/** What a health check is about. */
export interface Check {
  readonly targets: readonly Target[]
  /** When it began, in milliseconds since the epoch: it ends after the Kustomization's timeout. */
  readonly since: number
  readonly failFast: boolean
  /** Kinds whose health the spec tells how to judge. */
  readonly custom: CustomHealth
}

/**
 * What is to be healthy: all that was applied, or what spec.healthChecks lists. Undefined when that is nothing. Fails on an
 * apiVersion that is none.
 */
export const healthTargets = ({ spec }: Kustomization, applied: readonly Target[]): readonly Target[] | undefined => {
  const targets = spec.wait ? applied : (spec.healthChecks ?? []).map(listed)
  return targets.length > 0 ? targets : undefined
}

/** Without an apiVersion Flux takes apps/v1. */
const listed = ({ apiVersion: named, kind, namespace = '', name }: HealthCheck): Target => {
  const apiVersion = named || 'apps/v1'
  if (apiVersion.split('/').length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
  return { apiVersion, ref: { group: groupOf(apiVersion), kind, namespace, name } }
}
type HealthCheck = NonNullable<Kustomization['spec']['healthChecks']>[number]

/** One look at the cluster. A cluster that is away may come back: only the timeout ends that. */
export const judgeHealth = async (
  cluster: ClusterClient,
  kustomization: Kustomization,
  check: Check,
  now: number,
  signal: AbortSignal,
): Promise<Verdict> => {
  const { failFast, since } = check
  const { wait } = kustomization.spec
  const isTimeUp = now - since >= timeoutOf(kustomization)
  let notHealthy: readonly Health[]
  try {
    const all = await look(cluster, kustomization, check, now, signal)
    notHealthy = all.filter(one => one.status !== 'Current' && !(wait && isFinishedJob(one)))
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    return isTimeUp ? { type: 'unhealthy', message: error.message } : { type: 'waiting', missing: false }
  }
  const failed = notHealthy.filter(({ status }) => status === 'Failed')
  if (notHealthy.length === 0) return { type: 'healthy' }
  if (isTimeUp) return unhealthy('timeout waiting for', notHealthy)
  if (failed.length > 0 && (failFast || failed.length === notHealthy.length)) {
    return unhealthy('failed early due to stalled resources', failed)
  }
  return { type: 'waiting', missing: wait === true && notHealthy.some(({ status }) => status === 'NotFound') }
}

const look = (
  cluster: ClusterClient,
  kustomization: Kustomization,
  { targets, since, custom }: Check,
  now: number,
  signal: AbortSignal,
): Promise<readonly Health[]> => {
  const { metadata, spec } = kustomization
  const owner = ownerOf(kustomization)
  const isLeftAlone = leftAlone(owner, since)
  const isItself = ({ ref }: Target): boolean =>
    ref.kind === 'Kustomization' && ref.namespace === metadata.namespace && ref.name === metadata.name
  return checkHealth(
    cluster,
    targets.filter(target => !isItself(target)), // it can't be ready while it waits for itself (KS-106)
    {
      now,
      signal,
      judge: live => (isLeftAlone(live) ? current('left alone') : custom(live)),
      ...(spec.wait && { owner }),
    },
  )
}

const unhealthy = (what: string, health: readonly Health[]): Verdict => ({
  type: 'unhealthy',
  message: `${what}: [${health.map(describeHealth).join(', ')}]`,
})

/** A Job that was applied and is gone has run: its time to live has ended (KS-108). */
const isFinishedJob = ({ ref, status }: Health): boolean =>
  status === 'NotFound' && ref.kind === 'Job' && ref.group === 'batch'

/** An object this much older than the check was not created by its run, whatever the clocks say. */
const wellBeforeMs = 5 * 60_000

/** Objects that the user has us leave alone may be in any state (KS-107). */
const leftAlone = ({ group }: Owner, since: number) => {
  const { isExcluded, isIfNotPresent } = policies(group)
  return (live: KubernetesObject) => {
    const wasThere = Date.parse(live.metadata.creationTimestamp ?? '') < since - wellBeforeMs
    return isExcluded(live) || (isIfNotPresent(live) && wasThere)
  }
}
