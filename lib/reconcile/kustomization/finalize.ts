import { describeChange } from '../../clusters/apply/change-set.ts'
import { describePruneFailures, notYetGone, prune } from '../../clusters/apply/prune.ts'
import { deletionProtected } from '../../clusters/client/protecting-client.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { InventoryEntry, Kustomization } from '../../foundations/kinds/kustomization.ts'
import { deletionPolicyOf, timeoutOf } from '../../foundations/kinds/kustomization.ts'
import { describeRef } from '../../foundations/kinds/object.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { inventoryObject } from '../../foundations/rules/inventory.ts'
import { elapsedSince } from '../../foundations/rules/schedule.ts'
import { serviceAccountKind } from '../../hub/references/references.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import { clearDeletion } from '../approvals/clear-change.ts'
import { bindCluster, clusterChanged } from '../guard/cluster-guard.ts'
import { forgetBuilds } from '../kept-builds/forget-builds.ts'
import { Halt } from '../runtime/halt.ts'
import type { NewEvent, Outcome, Pass, Unfinished } from '../runtime/reconciler.ts'
import { leaveTo, successorOf } from './adoption.ts'
import type { Context, KustomizationPorts } from './context.ts'
import { eventMetadata, finishedEvent } from './events.ts'
import { failure, orFailure } from './failure.ts'
import { notePruned } from './quoted-values.ts'
import type { KustomizationSettings } from './settings.ts'
import { impersonatedAccount, targetCluster } from './target-cluster.ts'

/**
 * Deletes what a deleted Kustomization has applied, as its deletionPolicy says; nothing if it is suspended (KS-046). The
 * Kustomization stays as long as objects can't be deleted, or their cluster can't be reached.
 */
export const finalize = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<Unfinished<Kustomization> | undefined> => {
  if (kustomization.spec.suspend) {
    await forget(kustomization, context)
    return undefined
  }
  try {
    await removeObjects(kustomization, pass, context)
  } catch (error) {
    if (error instanceof Halt) return withEvent(kustomization, (error as Halt<Kustomization>).outcome)
    throw error
  }
  await forget(kustomization, context)
  const { conditions, lastAppliedRevision: revision } = kustomization.status ?? {}
  const ready = conditionOf(conditions, 'Ready')
  if (ready?.status === 'True') {
    pass.event(finishedEvent(kustomization, ready.reason, context.clock.now() - pass.startedAt, { revision }))
  }
  return undefined
}

const forget = async (kustomization: Kustomization, context: Context): Promise<void> => {
  const applied = kustomization.status?.history?.map(({ digest }) => digest)
  await forgetBuilds(kustomization, context, applied)
  await context.units.forget(kustomization)
}

/** Halts while objects still exist. */
const removeObjects = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  context: Context,
): Promise<void> => {
  const { signal } = pass
  const { clock, settings, terminations } = context
  const policy = deletionPolicyOf(kustomization)
  const entries = inventoryOf(kustomization)
  if (policy === 'Orphan' || entries.length === 0) return
  if (await isAccountMissing(kustomization, context, settings)) {
    const left = entries.map(entry => describeRef(inventoryObject(entry).ref)).join('\n')
    pass.event(eventOf(kustomization, 'error', `unable to prune objects: \n${left}`))
    return
  }
  const target = await orFailure(reason, signal, () => targetCluster(context, kustomization, settings))
  const cluster = await pass.confine(target.cluster)
  const bound = await orFailure(reason, signal, () => bindCluster(kustomization, target, true, context.units))
  // The objects in the inventory are not the ones that this Kustomization applied.
  if (bound.bind) return
  if (bound.changed) throw changedFailure(kustomization, bound.changed.message)
  pass.note({ phase: 'Prune', cluster: target.reference })
  const successor = await successorOf(kustomization, context)
  if (successor) {
    await leaveTo(successor, kustomization, { ...target, cluster }, context, signal)
    const message = `${entries.length} objects left to Kustomization ${successor.metadata.namespace}/${successor.metadata.name}`
    pass.event(eventOf(kustomization, 'info', message))
    return
  }
  const { owner } = target
  const taken = await requireDeletionAllowed(kustomization, { ...target, cluster, pass }, context)
  const { changes, failures } = await prune(cluster, taken, { owner, signal })
  if ((await terminations.find(kustomization)) === undefined) pass.note({ changes })
  if (failures.length > 0) {
    await notePruned({ cluster, pass }, kustomization, failures)
    const event = eventOf(kustomization, 'error', 'pruning for deleted resource failed')
    const because = failures.some(({ isProtected }) => isProtected) ? deletionProtected : reason
    throw failure(because, describePruneFailures(failures), { event })
  }
  const waits = policy === 'WaitForTermination'
  const isReported = waits && (await terminations.find(kustomization)) !== undefined
  if (!isReported) pass.event(eventOf(kustomization, 'info', changes.map(describeChange).join('\n')))
  if (!waits) return
  const deleted = changes.filter(({ action }) => action === 'deleted')
  const left = await orFailure(reason, signal, () => notYetGone(cluster, deleted, signal))
  const waitedMs = elapsedSince(Date.parse(kustomization.metadata.deletionTimestamp!), clock.now())
  if (left.length > 0 && waitedMs < timeoutOf(kustomization)) {
    if (!isReported) await terminations.keep(kustomization, 'reported')
    throw new Halt<Kustomization>({ type: 'waiting', afterMs: terminationPollMs })
  }
  if (left.length > 0) pass.event(eventOf(kustomization, 'error', 'failed to wait for resources termination'))
}

/** The objects that may be deleted: all, unless a runner demands signatures. Halts while the deletion waits for them. */
const requireDeletionAllowed = async (
  kustomization: Kustomization,
  {
    cluster,
    owner,
    reference,
    pass,
  }: Pick<ReachedTarget, 'cluster' | 'owner' | 'reference'> & { readonly pass: Pass<Kustomization> },
  context: Context,
): Promise<readonly InventoryEntry[]> => {
  const entries = inventoryOf(kustomization)
  const { signatures } = context
  if (!signatures) return entries
  const change = { unit: kustomization, pass, cluster, reference, owner, entries }
  const found = await clearDeletion(change, signatures, context)
  if ('cleared' in found) return found.cleared
  const { conditions = {} } = found.waiting
  throw new Halt<Kustomization>({ type: 'waiting', afterMs: intervalOf(kustomization), conditions })
}

/** Whether the ServiceAccount to impersonate no longer exists. As in Flux, that does not block the deletion (KS-047). */
const isAccountMissing = async (
  kustomization: Kustomization,
  { references }: KustomizationPorts,
  settings: KustomizationSettings,
): Promise<boolean> => {
  // Otherwise the account belongs to that cluster.
  if (kustomization.spec.kubeConfig || (await references.target(kustomization))) return false
  const account = impersonatedAccount(kustomization, settings)
  return account !== undefined && !(await references.local(kustomization, serviceAccountKind, account.name))
}

const changedFailure = (kustomization: Kustomization, message: string) => {
  const conditions = { [clusterChanged]: { status: 'True', reason: clusterChanged, message } } as const
  return failure(clusterChanged, message, { conditions, event: eventOf(kustomization, 'error', message) })
}

const reason = 'PruneFailed'

/** How often to check whether deleted objects still exist, in milliseconds. */
const terminationPollMs = 2_000

const withEvent = (kustomization: Kustomization, outcome: Outcome<Kustomization>): Unfinished<Kustomization> => {
  if (outcome.type !== 'failed') return outcome as Unfinished<Kustomization>
  return { ...outcome, event: outcome.event ?? eventOf(kustomization, 'error', outcome.message) }
}

/** Flux's events about a deletion carry the reason that Ready had before it. */
const eventOf = ({ status = {} }: Kustomization, severity: NewEvent['severity'], message: string): NewEvent => ({
  severity,
  reason: conditionOf(status.conditions, 'Ready')?.reason ?? severity,
  message,
  metadata: eventMetadata({ revision: status.lastAppliedRevision, originRevision: status.lastAppliedOriginRevision }),
})
