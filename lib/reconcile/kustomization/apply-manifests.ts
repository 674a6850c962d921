import { applyAll } from '../../clusters/apply/apply-all.ts'
import { ApplyError } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeChanges } from '../../clusters/apply/change-set.ts'
import type { Health } from '../../clusters/apply/health.ts'
import { describeHealth } from '../../clusters/apply/health.ts'
import type { IgnoredFields } from '../../clusters/apply/ignored-fields.ts'
import { ignoredFields } from '../../clusters/apply/ignored-fields.ts'
import type { InventoryEntry, Kustomization } from '../../foundations/kinds/kustomization.ts'
import { timeoutOf } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, refOf, versionOf } from '../../foundations/kinds/object.ts'
import { clusterUnreachable } from '../../foundations/rules/cluster-binding.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { inventoryId, inventoryUnion } from '../../foundations/rules/inventory.ts'
import { elapsedSince } from '../../foundations/rules/schedule.ts'
import { Halt } from '../runtime/halt.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Locate } from './build/locate.ts'
import { progressEvent } from './events.ts'
import { ownerOf } from './owner.ts'
import type { Run } from './run.ts'
import { inventoryOf, runFailure } from './run.ts'
import type { KustomizationSettings } from './settings.ts'

/** Ours: with the value `continue`, objects that the cluster accepts are applied though others are refused. */
const onRefusal = 'kustomize.keelson.dev/on-refusal'

/** How soon to look again at definitions that are not ready yet, in milliseconds. */
const definitionPollMs = 2_000

/**
 * Makes the cluster's objects as built. Halts with every refusal at once; what had been written by then stays in the
 * inventory, and so does what may have been.
 */
export const applyManifests = async (
  run: Run,
  manifests: Manifests,
  settings: KustomizationSettings,
  locate: Locate,
): Promise<ChangeSet> => {
  const { kustomization, pass, clock, cluster, revision } = run
  requireDecrypted(run, manifests.objects)
  const ignored = ignoredFieldsOf(run)
  const { changes, waitingFor } = await applyAll(cluster, manifests.objects, {
    fieldManager: 'kustomize-controller',
    owner: ownerOf(kustomization),
    recorded: new Set(inventoryOf(kustomization).map(({ id }) => id)),
    clock,
    force: kustomization.spec.force,
    ignored,
    overriddenManagers: settings.overriddenManagers,
    isCustomStage: ({ group, kind }) => settings.customStageKinds.includes(group ? `${group}/${kind}` : kind),
    migrateVersions: settings.migrateApiVersion,
    continueOnRefusal: kustomization.metadata.annotations?.[onRefusal] === 'continue',
    concurrency: settings.concurrentApplies,
    originOf: manifests.originOf,
    locate,
    signal: pass.signal,
  }).catch(error => {
    pass.signal.throwIfAborted()
    throw error instanceof ApplyError ? applyFailure(run, error) : error
  })
  const done = describeChanges(changes)
  if (done) pass.event(progressEvent(done, revision))
  if (waitingFor.length > 0) throw notReady(run, waitingFor)
  return changes
}

const ignoredFieldsOf = (run: Run): IgnoredFields => {
  try {
    return ignoredFields(run.kustomization.spec.ignore ?? [])
  } catch (error) {
    throw runFailure(run, 'ReconciliationFailed', `spec.ignore: ${errorMessage(error)}`, { cause: error })
  }
}

/** What was applied, as it is recorded. Skipped objects count: they may have been applied before. */
export const inventoryAfter = (changes: ChangeSet): readonly InventoryEntry[] =>
  changes.map(({ ref, apiVersion }) => ({ id: inventoryId(ref), v: versionOf(apiVersion) }))

const applyFailure = (run: Run, error: ApplyError): Halt<Kustomization> => {
  const done = describeChanges(error.changes)
  const message = `${error.message}\n${done && `${done}\n`}`
  const mayBeThere = error.failures.some(({ written }) => written)
  const { inventory: before } = run.kustomization.status ?? {}
  const entries = inventoryUnion(before?.entries ?? [], inventoryAfter(error.changes))
  const inventory = error.changes.length > 0 ? { entries } : (before ?? null)
  const reason = error.outage ? clusterUnreachable : 'ReconciliationFailed'
  return runFailure(run, reason, message, { status: mayBeThere ? {} : { inventory }, cause: error })
}

/** The rest is applied in a later pass; for as long as the timeout. */
const notReady = (run: Run, waitingFor: readonly Health[]): Halt<Kustomization> => {
  const { kustomization, clock } = run
  const ready = conditionOf(kustomization.status?.conditions, 'Ready')
  const since = ready?.status === 'Unknown' ? Date.parse(ready.lastTransitionTime) : clock.now()
  if (elapsedSince(since, clock.now()) < timeoutOf(kustomization))
    return new Halt({ type: 'waiting', afterMs: definitionPollMs })
  return runFailure(run, 'ReconciliationFailed', `timeout waiting for: [${waitingFor.map(describeHealth).join(', ')}]`)
}

const decryptAnnotation = 'kustomize.toolkit.fluxcd.io/decrypt'

/** Ciphertext is never applied (KS-252), unless an object asks for it (KS-253). */
const requireDecrypted = (run: Run, objects: readonly KubernetesObject[]): void => {
  const encrypted = objects.find(
    ({ sops, metadata }) =>
      typeof sops === 'object' && metadata.annotations?.[decryptAnnotation]?.toLowerCase() !== 'disabled',
  )
  if (!encrypted) return
  const message = `${describeRef(refOf(encrypted))} is SOPS encrypted, configuring decryption is required for this secret to be reconciled`
  throw runFailure(run, 'ReconciliationFailed', message, {
    status: { inventory: run.kustomization.status?.inventory ?? null },
  })
}
