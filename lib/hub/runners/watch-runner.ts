import { type Cluster, cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { conditionOf, withCondition } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Leases } from '../../platform/ports/leases.ts'
import { ApiError, type Hub } from '../store/hub.ts'
import type { RunnerPace } from './pace.ts'
import { runnerLeaseRef } from './runner-lease.ts'

export interface RunnerWatchPorts {
  readonly hub: Pick<Hub, 'update'>
  readonly leases: Pick<Leases, 'acquire' | 'release'>
  readonly clock: Pick<Clock, 'now'>
  /** Records an event of a Cluster, and notifies. */
  readonly recordEvent: (
    object: KubernetesObject,
    occurrence: { readonly severity: 'error'; readonly reason: string; readonly message: string },
    component: string,
  ) => Promise<void>
}

/** How long a runner may be silent before its Cluster fails, in milliseconds: a restart takes less. */
export const graceMs = 60_000

const [silent, away] = ['RunnerSilent', 'RunnerAway']

/** Reasons of the condition Reachable of a Cluster whose runner is not there. */
export const noRunnerReasons: ReadonlySet<string> = new Set([silent, away])

/**
 * Checks whether the runner of a Cluster is there; returns when to check again, in milliseconds, and undefined for other objects. If nobody has the
 * lease, the Cluster says so in its condition Reachable, and fails after `graceMs`: Rollouts then take it for offline. To check takes the lease for
 * a moment: a runner that comes back must begin a new session, which takes over this status and probes the cluster again.
 */
export const watchRunner =
  ({ hub, leases, clock, recordEvent }: RunnerWatchPorts, { watchMs }: Pick<RunnerPace, 'watchMs'>) =>
  async (object: KubernetesObject): Promise<number | undefined> => {
    if (object.kind !== clusterKind.kind || object.metadata.deletionTimestamp || isSuspended(object)) return undefined
    const lease = await leases.acquire(runnerLeaseRef(refOf(object)), graceMs)
    if (!lease) return watchMs
    await leases.release(lease)
    const { status = {} } = object as Cluster
    const { conditions = [] } = status
    if (conditionOf(conditions, 'Ready')?.reason === away) return watchMs
    const [now, before] = [clock.now(), conditionOf(conditions, 'Reachable')]
    const isSilent = before?.reason === silent
    const silentMs = isSilent ? now - Date.parse(before.lastTransitionTime) : 0
    if (isSilent && silentMs < graceMs) return graceMs - silentMs
    const { name, namespace } = object.metadata
    const message = `no runner calls the hub for this Cluster: start it, or let one join with keelson join ${name} -n ${namespace}`
    const at = { now, generation: object.metadata.generation }
    const reachable = isSilent
      ? ({ status: 'False', reason: away, message } as const)
      : ({ status: 'Unknown', reason: silent, message, since: now } as const)
    const next = withCondition(conditions, 'Reachable', reachable, at)
    const after = isSilent ? withCondition(next, 'Ready', { status: 'False', reason: away, message }, at) : next
    try {
      const changed = { ...object, status: { ...status, conditions: after } }
      await hub.update(changed, { fieldManager: 'keelson', subresource: 'status' })
    } catch (error) {
      // The runner has just reported, or somebody has changed the Cluster.
      if (!(error instanceof ApiError && (error.reason === 'Conflict' || error.reason === 'NotFound'))) throw error
      return watchMs
    }
    if (isSilent) await recordEvent(object, { severity: 'error', reason: away, message }, 'keelson')
    return isSilent ? watchMs : graceMs
  }
