import type { Limits } from '../../foundations/budget/budget.ts'
import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { type FluxInstance, intervalOf, timeoutOf } from '../../foundations/kinds/flux-instance.ts'
import { installation, isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryDifference, inventoryEntry, inventoryUnion } from '../../foundations/rules/inventory.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { disabledEvent, finishedEvent } from '../resource-set/events.ts'
import { Halt, isMistake, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Outcome, Pass, Reconciler, StatusChange } from '../runtime/reconciler.ts'
import { fluxInstanceAddress } from './flux-instance-address.ts'
import { fieldsNotApplicable, notApplicable } from './not-applicable.ts'
import { ownerOf, syncObjects } from './sync-objects.ts'
import type { SyncWriter } from './sync-writer.ts'

export interface FluxInstancePorts {
  readonly writer: SyncWriter
  readonly clock: Pick<Clock, 'now'>
  /** The parts of the hub, as the status lists them. */
  readonly components: NonNullable<NonNullable<FluxInstance['status']>['components']>
  /** The release of Flux that the hub corresponds to: `v2.9.4`. */
  readonly fluxVersion: string
  /** Limits of the patches. */
  readonly limits: Limits
}

const inProgress = 'Reconciliation in progress'

/** Keeps the source and the Kustomization of `spec.sync` on the hub, as flux-operator does on a cluster, and installs nothing. */
export const fluxInstanceReconciler = (ports: FluxInstancePorts): Reconciler<FluxInstance> => ({
  ...fluxInstanceAddress,
  manager: 'gotk-flux-operator',
  component: 'flux-operator',
  finalizer: 'fluxcd.controlplane.io/finalizer',
  observesGeneration: false,
  intervalOf,
  passTimeoutOf: timeoutOf,
  reconcile: (instance, pass) => attempt(instance, pass, ports).catch(outcomeOfHalt),
  finalize: async instance => {
    if (!isReconcileDisabled(instance)) await ports.writer.release(ownerOf(instance), inventoryOf(instance))
    return undefined
  },
})

const attempt = async (
  instance: FluxInstance,
  pass: Pass<FluxInstance>,
  ports: FluxInstancePorts,
): Promise<Outcome<FluxInstance>> => {
  if (isReconcileDisabled(instance)) {
    pass.event(disabledEvent)
    return { type: 'resting', reason: 'ReconciliationDisabled', message: 'Initialized with reconciliation suspended' }
  }
  requireNamespace(instance)
  const objects = await objectsOf(instance, ports)
  const entries = objects.map(inventoryEntry)
  const revision = `${ports.fluxVersion}@${sha256Digest(JSON.stringify(objects))}`
  if (!isApplied(instance, revision))
    await pass.progress(inProgress, {
      fleeting: true,
      status: {
        lastAttemptedRevision: revision,
        inventory: { entries: inventoryUnion(inventoryOf(instance), entries) },
      },
    })
  await ports.writer.apply(objects)
  await ports.writer.release(ownerOf(instance), inventoryDifference(inventoryOf(instance), entries))
  return succeed(instance, { revision, entries }, pass, ports)
}

/** Only those who may change the namespace of the installation decide what the hub reconciles itself from. */
const requireNamespace = ({ metadata: { namespace } }: FluxInstance): void => {
  if (namespace === installation.namespace) return
  const message = `FluxInstance/${namespace}/${installation.name} has no effect: that of a hub is in the namespace ${installation.namespace}`
  throw new Halt({ type: 'stalled', reason: 'BuildFailed', message })
}

const objectsOf = async (
  instance: FluxInstance,
  { limits }: FluxInstancePorts,
): Promise<readonly KubernetesObject[]> => {
  try {
    return await syncObjects(instance, limits)
  } catch (error) {
    if (isMistake(error)) throw error
    const message = `spec.kustomize.patches: ${errorMessage(error)}`
    throw new Halt({ type: 'stalled', reason: 'BuildFailed', message, cause: error })
  }
}

interface Applied {
  readonly revision: string
  readonly entries: readonly InventoryEntry[]
}

const succeed = (
  instance: FluxInstance,
  { revision, entries }: Applied,
  pass: Pass<FluxInstance>,
  { clock, components }: FluxInstancePorts,
): Done<FluxInstance> => {
  const reason = 'ReconciliationSucceeded'
  const status: StatusChange<FluxInstance> = {
    components,
    inventory: { entries },
    lastAppliedRevision: revision,
    lastAttemptedRevision: revision,
  }
  const conditions = {
    [notApplicable]: { status: 'True', reason: 'ConfiguredInHub', message: fieldsNotApplicable(instance).join('\n') },
  } as const
  const known = conditionOf(instance.status?.conditions, 'Ready')
  const isRoutine =
    known?.message && isApplied(instance, revision) && isSameJson(instance.status?.components ?? [], components)
  if (isRoutine && !isReconcileRequested(instance))
    return { type: 'done', reason, message: known.message, routine: true, status, conditions }
  const message = `Reconciliation finished in ${formatDuration(clock.now() - pass.startedAt)}`
  pass.event(finishedEvent(message))
  return { type: 'done', reason, message, status, conditions }
}

/** Whether the last pass was over this generation, and has applied this revision. */
const isApplied = ({ metadata, status }: FluxInstance, revision: string): boolean => {
  const ready = conditionOf(status?.conditions, 'Ready')
  return (
    ready?.status === 'True' &&
    ready.observedGeneration === metadata.generation &&
    status?.lastAppliedRevision === revision
  )
}

const inventoryOf = ({ status }: FluxInstance): readonly InventoryEntry[] => status?.inventory?.entries ?? []
