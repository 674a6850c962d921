import { type ApplyError, protectedIn } from '../../clusters/apply/apply-error.ts'
import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import { describeChanges } from '../../clusters/apply/change-set.ts'
import { recordedChanges } from '../../clusters/apply/field-diff.ts'
import type { IgnoredFields } from '../../clusters/apply/ignored-fields.ts'
import { ignoredFields } from '../../clusters/apply/ignored-fields.ts'
import { timeoutOf } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { clusterUnreachable } from '../../foundations/rules/outage.ts'
import { applyObjects, requireDefinitions } from '../applied-objects/apply-objects.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import type { Manifests } from './build/build-manifests.ts'
import type { Locate } from './build/locate.ts'
import { progressEvent } from './events.ts'
import { noteReplaced } from './quoted-values.ts'
import type { KustomizationRun } from './run.ts'
import { runFailure } from './run.ts'
import type { KustomizationSettings } from './settings.ts'

/** Keelson's own annotation: with the value `continue`, objects that the cluster accepts are applied even if it refuses others. */
const onRefusal = 'kustomize.keelson.dev/on-refusal'

/** Flux's: objects can move between Flux and Keelson without a conflict. */
export const fieldManager = 'kustomize-controller'

/**
 * Applies the manifests to the cluster. Halts with all refusals at once; objects that were written, or may have been,
 * stay in the inventory.
 */
export const applyManifests = async (
  run: KustomizationRun,
  manifests: Manifests,
  settings: KustomizationSettings,
  locate: Locate,
): Promise<ChangeSet> => {
  const { pass, revision } = run
  requireDecrypted(run, manifests.objects)
  const { changes, waitingFor } = await applyObjects(run, manifests.objects, {
    ...applyRules(run, manifests, settings, locate),
    migrateVersions: settings.migrateApiVersion,
    withStates: true,
    refused: async (error, status) => {
      const { reason, message } = await describeRefusal(run, manifests, error)
      return runFailure(run, reason, message, { status, cause: error })
    },
  })
  pass.note({ changes: recordedChanges(changes, { ...manifests.secrets, fieldManager }) })
  const done = describeChanges(changes)
  if (done) pass.event(progressEvent(done, revision))
  requireDefinitions(run, waitingFor, timeoutOf(run.applier), message =>
    runFailure(run, 'ReconciliationFailed', message),
  )
  return changes
}

/** The reason and message of a run whose objects the cluster refused, or that could not reach it. Puts what was written on record. */
export const describeRefusal = async (
  run: KustomizationRun,
  manifests: Manifests,
  error: ApplyError,
): Promise<{ readonly reason: string; readonly message: string }> => {
  await noteReplaced(run, error, manifests)
  run.pass.note({ changes: recordedChanges(error.changes, { ...manifests.secrets, fieldManager }) })
  const done = describeChanges(error.changes)
  return {
    reason: error.outage ? clusterUnreachable : (protectedIn(error) ?? 'ReconciliationFailed'),
    message: `${error.message}\n${done && `${done}\n`}`,
  }
}

/** How the objects of a Kustomization are compared and written. */
export const applyRules = (
  run: KustomizationRun,
  manifests: Manifests,
  settings: KustomizationSettings,
  locate: Locate,
) => {
  const { spec, metadata } = run.applier
  return {
    fieldManager,
    owner: run.owner,
    applied: inventoryOf(run.applier),
    force: spec.force,
    ignored: ignoredFieldsOf(run),
    overriddenManagers: settings.overriddenManagers,
    isCustomStage: ({ group, kind }: { readonly group: string; readonly kind: string }) =>
      settings.customStageKinds.includes(group ? `${group}/${kind}` : kind),
    continueOnRefusal: metadata.annotations?.[onRefusal] === 'continue',
    concurrency: settings.concurrentApplies,
    originOf: manifests.originOf,
    locate,
  }
}

const ignoredFieldsOf = (run: KustomizationRun): IgnoredFields => {
  try {
    return ignoredFields(run.applier.spec.ignore ?? [])
  } catch (error) {
    throw runFailure(run, 'ReconciliationFailed', `spec.ignore: ${errorMessage(error)}`, { cause: error })
  }
}

const decryptAnnotation = 'kustomize.toolkit.fluxcd.io/decrypt'

/** Ciphertext is never applied (KS-252), unless an annotation allows it (KS-253). */
const requireDecrypted = (run: KustomizationRun, objects: readonly KubernetesObject[]): void => {
  const encrypted = objects.find(
    ({ sops, metadata }) =>
      typeof sops === 'object' && metadata.annotations?.[decryptAnnotation]?.toLowerCase() !== 'disabled',
  )
  if (!encrypted) return
  const message = `${describeRef(refOf(encrypted))} is SOPS encrypted, configuring decryption is required for this secret to be reconciled`
  throw runFailure(run, 'ReconciliationFailed', message, {
    status: { inventory: run.applier.status?.inventory ?? null },
  })
}
