import { checkHealth, type Health } from '../../../clusters/apply/health.ts'
import type { Target } from '../../../clusters/apply/observe.ts'
import type { Owner } from '../../../clusters/apply/owner.ts'
import { policies } from '../../../clusters/apply/policies.ts'
import { type HealthVerdict, verdictOf } from '../../../clusters/apply/verdict.ts'
import { type ClusterClient, ClusterError } from '../../../clusters/client/client.ts'
import { current } from '../../../engines/kstatus/result.ts'
import type { Kustomization } from '../../../foundations/kinds/kustomization.ts'
import { timeoutOf } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { describeKind, groupOf } from '../../../foundations/kinds/object.ts'
import type { CustomHealth } from './custom-health.ts'

/** The subject of a health check. */
export interface Check {
  readonly targets: readonly Target[]
  /** When it started, in milliseconds since the epoch: it times out after the Kustomization's timeout. */
  readonly since: number
  readonly failFast: boolean
  /** Kinds with health check expressions in the spec. */
  readonly custom: CustomHealth
  /** The owner of the applied objects. */
  readonly owner: Owner
}

/**
 * The objects that must be healthy: all applied ones, or those in spec.healthChecks; undefined if there are none. Fails on a
 * malformed apiVersion.
 */
export const healthTargets = ({ spec }: Kustomization, applied: readonly Target[]): readonly Target[] | undefined => {
  const targets = spec.wait ? applied : (spec.healthChecks ?? []).map(listed)
  return targets.length > 0 ? targets : undefined
}

/** Flux's default apiVersion is apps/v1. */
const listed = ({ apiVersion: named, kind, namespace = '', name }: HealthCheck): Target => {
  const apiVersion = named || 'apps/v1'
  if (apiVersion.split('/').length > 2) throw new Error(`unexpected GroupVersion string: ${apiVersion}`)
  return { apiVersion, ref: { group: groupOf(apiVersion), kind, namespace, name } }
}
type HealthCheck = NonNullable<Kustomization['spec']['healthChecks']>[number]

/** Polls the cluster once. */
export const judgeHealth = async (
  cluster: ClusterClient,
  kustomization: Kustomization,
  check: Check,
  now: number,
  signal: AbortSignal,
): Promise<HealthVerdict> => {
  const { wait = false } = kustomization.spec
  const problem = await unplacedIn(cluster, check.targets, signal)
  if (problem !== undefined) return { type: 'unhealthy', message: problem }
  const isTimeUp = now - check.since >= timeoutOf(kustomization)
  const tolerance = { isTimeUp, failFast: check.failFast, jobsMayBeGone: wait } // KS-108
  const verdict = await verdictOf(pollHealth(cluster, kustomization, check, now, signal), tolerance)
  // Without `wait`, the objects to check may belong to others: they may still be created.
  return verdict.type === 'waiting' ? { ...verdict, missing: wait && verdict.missing } : verdict
}

/** An object without a namespace whose kind is namespaced: that can't become healthy. */
const unplacedIn = async (
  cluster: ClusterClient,
  targets: readonly Target[],
  signal: AbortSignal,
): Promise<string | undefined> => {
  for (const ref of targets.map(({ ref }) => ref).filter(({ namespace }) => namespace === '')) {
    const resource = await cluster.resourceInAnyVersion(ref.group, ref.kind, { signal }).catch(ifAway)
    if (!resource?.namespaced) continue
    return `resource ${describeKind(ref)} ${ref.name} is namespace scoped, but namespace is not set`
  }
  return undefined
}

/** The poll of the objects reports it. */
const ifAway = (error: unknown): undefined => {
  if (!(error instanceof ClusterError)) throw error
}

const pollHealth = (
  cluster: ClusterClient,
  kustomization: Kustomization,
  { targets, since, custom, owner }: Check,
  now: number,
  signal: AbortSignal,
): Promise<readonly Health[]> => {
  const { metadata, spec } = kustomization
  const isExcluded = excluded(owner, since)
  const isItself = ({ ref }: Target): boolean =>
    ref.kind === 'Kustomization' && ref.namespace === metadata.namespace && ref.name === metadata.name
  return checkHealth(
    cluster,
    targets.filter(target => !isItself(target)), // it can't be ready while it waits for itself (KS-106)
    {
      now,
      signal,
      judge: live => (isExcluded(live) ? current('left alone') : custom(live)),
      ...(spec.wait && { owner }),
    },
  )
}

/** An object this much older than the check was not created by its run, even if the clocks differ. */
const wellBeforeMs = 5 * 60_000

/** Objects that the user has excluded from reconciliation may be in any state (KS-107). */
const excluded = ({ group }: Owner, since: number) => {
  const { isExcluded, isIfNotPresent } = policies(group)
  return (live: KubernetesObject) => {
    const wasThere = Date.parse(live.metadata.creationTimestamp ?? '') < since - wellBeforeMs
    return isExcluded(live) || (isIfNotPresent(live) && wasThere)
  }
}
