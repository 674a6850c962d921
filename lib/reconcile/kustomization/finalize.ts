import { describeChange } from '../../apply/change-set.ts'
import { describePruneFailures, notYetGone, prune } from '../../apply/prune.ts'
import type { Kustomization } from '../../kinds/kustomization.ts'
import { deletionPolicyOf, timeoutOf } from '../../kinds/kustomization.ts'
import { conditionOf } from '../../rules/conditions.ts'
import type { NewEvent, Pass, Unfinished } from '../runtime/reconciler.ts'
import type { KustomizationPorts } from './context.ts'
import { eventMetadata, finishedEvent } from './events.ts'
import { messageOf } from './failure.ts'
import { ownerOf } from './owner.ts'
import type { KustomizationSettings } from './settings.ts'
import { targetCluster } from './target-cluster.ts'

/** How often it is looked whether deleted objects are gone, in milliseconds. */
const terminationPollMs = 2_000

/**
 * Removes what a deleted Kustomization has applied, as its deletionPolicy says; nothing when it is suspended (KS-046). As
 * long as objects can't be deleted, or their cluster can't be reached, it stays.
 */
export const finalize = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  ports: KustomizationPorts,
  settings: KustomizationSettings,
): Promise<Unfinished<Kustomization> | undefined> => {
  const { clock } = ports
  const entries = kustomization.status?.inventory?.entries ?? []
  const policy = deletionPolicyOf(kustomization)
  const tell = teller(kustomization, pass)
  const finished = () => tell.finished(clock.now() - pass.startedAt)
  if (kustomization.spec.suspend) return undefined
  if (policy === 'Orphan' || entries.length === 0) return finished()

  const reason = 'PruneFailed'
  try {
    const cluster = await targetCluster(ports, kustomization, settings)
    const { changes, failures } = await prune(cluster, entries, { owner: ownerOf(kustomization), signal: pass.signal })
    if (failures.length > 0) {
      const event = tell.of('error', 'pruning for deleted resource failed')
      return { type: 'failed', reason, message: describePruneFailures(failures), event }
    }
    if (policy === 'WaitForTermination') {
      const left = await notYetGone(
        cluster,
        changes.filter(({ action }) => action === 'deleted'),
        pass.signal,
      )
      const waitedMs = clock.now() - Date.parse(kustomization.metadata.deletionTimestamp!)
      if (left.length > 0 && waitedMs < timeoutOf(kustomization)) return { type: 'waiting', afterMs: terminationPollMs }
      pass.event(tell.of('info', changes.map(describeChange).join('\n')))
      if (left.length > 0) pass.event(tell.of('error', 'failed to wait for resources termination'))
    } else pass.event(tell.of('info', changes.map(describeChange).join('\n')))
    return finished()
  } catch (error) {
    pass.signal.throwIfAborted()
    return {
      type: 'failed',
      reason,
      message: messageOf(error),
      event: tell.of('error', messageOf(error)),
      cause: error,
    }
  }
}

/** Flux's events about a deletion have the reason that Ready had before it. */
const teller = (kustomization: Kustomization, pass: Pass<Kustomization>) => {
  const {
    conditions,
    lastAppliedRevision: revision,
    lastAppliedOriginRevision: originRevision,
  } = kustomization.status ?? {}
  const ready = conditionOf(conditions, 'Ready')
  const about = { revision, originRevision }
  return {
    of: (severity: NewEvent['severity'], message: string): NewEvent => ({
      severity,
      reason: ready?.reason ?? severity,
      message,
      metadata: eventMetadata(about),
    }),
    finished(durationMs: number): undefined {
      if (ready?.status === 'True') pass.event(finishedEvent(kustomization, ready.reason, durationMs, about))
    },
  }
}
