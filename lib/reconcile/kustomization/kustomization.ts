import { describeChanges } from '../../clusters/apply/change-set.ts'
import { driftedCondition } from '../../foundations/kinds/applied.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { retryIntervalOf, timeoutOf } from '../../foundations/kinds/kustomization.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { type Undo, undoOf } from '../../foundations/kinds/undo.ts'
import { inventoryDifference, inventoryEntry, inventoryUnion } from '../../foundations/rules/inventory.ts'
import { previewContexts } from '../applied-objects/dry-run-context.ts'
import { inProgress, inventoryOf } from '../applied-objects/run.ts'
import { keepApproved, rememberApproved } from '../approvals/keep-approved.ts'
import { unsignedDeletions } from '../approvals/unsigned-deletions.ts'
import { bindCluster } from '../guard/cluster-guard.ts'
import { evaluationsOf } from '../heavy-work/evaluations.ts'
import { legacies } from '../runtime/legacies.ts'
import type { Outcome, Pass, Reconciler, StatusChange, StatusUpdate } from '../runtime/reconciler.ts'
import { unfinishedRuns } from '../runtime/unfinished-runs.ts'
import { type ApprovedBuild, unitMemory } from '../runtime/unit-memory.ts'
import { withDeletionsWaiting } from '../windows/applied-before.ts'
import { planning } from '../windows/plan-proposed.ts'
import { previewing } from '../windows/preview.ts'
import { isOnlyPlanned, type Restraint } from '../windows/restraint.ts'
import { rolloutsOfUnits } from '../windows/rolled-out.ts'
import { heldBack, restrained } from '../windows/waiting.ts'
import { withLegacy } from './adoption.ts'
import { applyManifests } from './apply-manifests.ts'
import { asApproved, specOfGeneration } from './approved-spec.ts'
import { buildAhead } from './build/build-ahead.ts'
import { createBuildCache } from './build/build-cache.ts'
import { createSourceFiles } from './build/source-files.ts'
import type { Context, KustomizationPorts } from './context.ts'
import { createDecryption, localKeysOnly, requireDecryptionAllowed } from './decryption/decryption.ts'
import { dryRunContexts } from './dry-run-context.ts'
import { orFailure, outcomeOf } from './failure.ts'
import { finalize } from './finalize.ts'
import { findMoves } from './find-moves.ts'
import { continueHealthCheck, endHealthCheck } from './health/continue-health-check.ts'
import type { CustomHealth } from './health/custom-health.ts'
import { customHealth } from './health/custom-health.ts'
import { applying } from './health/ongoing-check.ts'
import { requireHealthy } from './health/require-healthy.ts'
import { heldByWindows } from './held-by-windows.ts'
import { kustomizationAddress } from './kustomization-address.ts'
import { placeOnHub, shareChanges, shareReferences } from './place-on-hub.ts'
import { holdBack, pruneStale } from './prune-stale.ts'
import { reportDrift } from './report-drift.ts'
import { requireApproval } from './require-approval.ts'
import { requireDependencies } from './require-dependencies.ts'
import { resolveSource } from './resolve-source.ts'
import type { KustomizationRun } from './run.ts'
import { isRoutine } from './run.ts'
import type { KustomizationSettings } from './settings.ts'
import { defaultKustomizationSettings } from './settings.ts'
import { succeed } from './succeed.ts'
import { connect } from './target-cluster.ts'
import { buildStore } from './undo/build-store.ts'
import { keepApplied, storeBuild } from './undo/kept-builds.ts'
import { fromKept, isStillFailed, orGoBack, withUndo } from './undo/undone.ts'
import { fromSource, fromStored, type Wanted } from './wanted.ts'

/** Keeps a cluster's objects equal to the build of a source's folder, as kustomize-controller does. */
export const kustomizationReconciler = (
  ports: KustomizationPorts,
  settings: KustomizationSettings = defaultKustomizationSettings,
): Reconciler<Kustomization> => {
  const context: Context = {
    ...ports,
    settings,
    readSource: createSourceFiles(ports),
    cached: ports.cached ?? createBuildCache(ports),
    unfinished: unfinishedRuns(ports, 'health-check'),
    units: unitMemory(ports.objects),
    builds: buildStore(ports),
    legacies: legacies(ports.objects),
    terminations: unfinishedRuns(ports, 'termination'),
    decryption: createDecryption(
      ports.references,
      ports.openPgp,
      ports.cloudKeys ?? localKeysOnly(ports.clock),
      settings,
    ),
  }
  const ofDryRun = dryRunContexts(context)
  const ofPreview = previewContexts(context, ofDryRun)
  return {
    ...kustomizationAddress,
    manager: 'gotk-kustomize-controller', // not the manager that applies objects: that one owns a Kustomization that it applies itself
    component: 'kustomize-controller',
    leavesRuns: true,
    maxWaitOf: kustomization => Math.max(intervalOf(kustomization), retryIntervalOf(kustomization)),
    passTimeoutOf: timeoutOf,
    ...(settings.buildAhead && { prepare: kustomization => buildAhead(kustomization, context) }),
    ...restrained<Kustomization>(
      { ...context, rollouts: rolloutsOfUnits(ports.refetch) },
      {
        planning,
        intervalOf,
        reconcile: async (kustomization, pass, restraint) => {
          const ofPass = pass.dryRun ? ofDryRun(pass.dryRun) : context
          const undo = undoOf(kustomization)
          const outcome = await attempt(kustomization, pass, restraint, ofPass).catch(outcomeOf(kustomization))
          if (restraint.approval?.onPlan) return outcome
          return undo ? withUndo(outcome, kustomization, undo, ofPass) : orGoBack(outcome, kustomization, pass, ofPass)
        },
        finalize: (kustomization, pass) => finalize(kustomization, pass, context),
        endRun: (kustomization, pass) => endHealthCheck(kustomization, pass, context),
      },
    ),
    preview: previewing(context, (kustomization, pass, restraint) =>
      attempt(kustomization, pass, restraint, ofPreview(pass.dryRun!)).catch(outcomeOf(kustomization)),
    ),
  }
}

const attempt = async (
  kustomization: Kustomization,
  pass: Pass<Kustomization>,
  restraint: Restraint,
  context: Context,
): Promise<Outcome<Kustomization>> => {
  const { settings } = context
  requireDecryptionAllowed(kustomization, settings)
  const evaluations = evaluationsOf(kustomization, pass, context)
  const custom = customHealth(kustomization, evaluations)
  if (isOnlyPlanned(restraint)) {
    const proposed = fromSource(kustomization, await resolveSource(kustomization, context, pass.note), pass, context)
    return applyWanted(kustomization, proposed, custom, pass, restraint, context)
  }
  const continued = await continueHealthCheck(kustomization, pass, context)
  if (continued) return continued
  const apply = (wanted: Wanted, restraint: Restraint) =>
    applyWanted(kustomization, wanted, custom, pass, restraint, context).catch(
      outcomeOf(kustomization, wanted.revision),
    )
  const applyApproved = async ({ build, generation }: ApprovedBuild, restraint: Restraint) => {
    const stored = await orFailure('ArtifactFailed', pass.signal, () => context.builds.get(kustomization, build))
    const approved = asApproved(kustomization, generation, stored?.appliedAs)
    if (!stored || !approved) return undefined
    const wanted = { ...fromStored(stored), inPlaceOf: kustomization.metadata.generation }
    return applyWanted(approved, wanted, customHealth(approved, evaluations), pass, restraint, context).catch(
      outcomeOf(kustomization, stored.revision),
    )
  }
  const orApproved = (outcome: Outcome<Kustomization>) =>
    keepApproved(outcome, kustomization, restraint, applyApproved, context.units)
  const undo = undoOf(kustomization)
  const toKept = async (undo: Undo) =>
    orApproved(await apply(await fromKept(kustomization, undo, pass, context), restraint))
  if (undo && !undo.failed) return toKept(undo)
  const source = await resolveSource(kustomization, context, pass.note)
  const wanted = fromSource(kustomization, source, pass, context)
  if (undo?.failed) {
    if (await isStillFailed(kustomization, undo.failed, wanted, pass, context)) return toKept(undo)
    return { type: 'waiting', afterMs: 0, leavesRequest: true }
  }
  await requireDependencies(kustomization, wanted.revision, context, evaluations, pass.signal)
  return orApproved(await apply(wanted, restraint))
}

const applyWanted = async (
  kustomization: Kustomization,
  { revision, author, artifact, inPlaceOf, prepare }: Wanted,
  custom: CustomHealth,
  pass: Pass<Kustomization>,
  restraint: Restraint,
  context: Context,
): Promise<Outcome<Kustomization>> => {
  const { clock, settings } = context
  const routine = isRoutine(kustomization, revision)
  pass.note({ revision: revision.revision, previousRevision: kustomization.status?.lastAppliedRevision })
  const progress = (
    doing: string,
    fleeting: boolean,
    status?: StatusChange<Kustomization>,
    conditions?: StatusUpdate<Kustomization>['conditions'],
  ) => {
    const timeout = formatDuration(timeoutOf(kustomization))
    const message = `${doing} for revision ${revision.revision} with a timeout of ${timeout}`
    return pass.progress(message, {
      ready: inProgress,
      status,
      fleeting,
      routine: fleeting && routine,
      ...(conditions && { conditions }),
    })
  }

  pass.note({ phase: 'Fetch' })
  await progress('Fetching manifests', true)
  const { locate, report, build } = await prepare()

  pass.note({ phase: 'Build' })
  await progress('Building manifests', true, { lastAttemptedRevision: revision.revision }, report?.())
  const target = await connect(kustomization, context, pass)
  const built = await build()
  const timing = { pass, now: clock.now(), intervalMs: intervalOf(kustomization) }
  const waiting = heldByWindows(kustomization, restraint, { revision, digest: built.digest, ...timing })
  if (waiting) return waiting
  const manifests = await placeOnHub(built, target, pass)
  const [last] = kustomization.status?.history ?? []
  pass.note({
    artifact: artifact?.digest,
    manifests: built.digest,
    secrets: manifests.secrets.secrets,
    objects: () => manifests.objects,
    hasNewInputs: last !== undefined && last.digest !== manifests.digest,
  })

  // The inventory is stored before anything is applied: whatever happens in between, no object is forgotten.
  const intended = manifests.objects.map(inventoryEntry)
  const applied = inventoryOf(kustomization)
  const isDeleting = kustomization.spec.prune && inventoryDifference(applied, intended).length > 0
  const bound = await orFailure('ReconciliationFailed', pass.signal, () =>
    bindCluster(kustomization, target, isDeleting, context.units),
  )
  if (bound.changed) return bound.changed
  if (bound.bind && restraint.holds.Changes)
    return heldBack(kustomization, 'the other cluster waits', restraint.holds.Changes, timing)
  const { applier, accept } = await withLegacy(bound.applier, context)
  const recorded = inventoryOf(applier)
  const { digest } = manifests
  const run: KustomizationRun = {
    applier,
    pass,
    clock,
    cluster: target.cluster,
    owner: target.owner,
    shared: target.shared,
    revision,
    digest,
    startedAt: pass.startedAt,
    routine,
    inPlaceOf,
  }
  const change = { manifests, reference: target.reference, author, locate }
  const clearance = await requireApproval(run, change, restraint, context)
  if (clearance.waiting) return clearance.waiting
  const compared = await reportDrift(run, manifests, settings, locate, restraint)
  if (compared && 'drifted' in compared) return compared.drifted
  const moves = await findMoves(run, intended, artifact, context)
  const approvers = { policy: restraint.approvalPolicy, author }
  const leave = { rules: restraint.pruneRules, moves, objects: manifests.objects, planned: clearance.deletions }
  const held = await holdBack(run, intended, { ...leave, approvers }, context)
  const toRecord = inventoryUnion(recorded, intended)
  const isRecorded = isSameJson(toRecord, inventoryOf(kustomization))
  pass.note({ phase: 'Apply' })
  await progress(applying, isRecorded, { inventory: { entries: toRecord } })
  await bound.bind?.()
  await accept?.()
  await storeBuild(run, built, context)
  const isShared = await shareReferences(run, manifests)
  const changes = compared?.changes ?? (await applyManifests(run, manifests, settings, locate))
  await shareChanges(run, manifests, changes)
  const unasked = restraint.holds.Deletions ?? moves.hold
  const allowed = clearance.isSigned ? clearance.deletions : undefined
  const pruned = await pruneStale(run, changes, { held, isHeld: unasked !== undefined, moves, allowed })
  const { entries, postponed } = pruned
  const hold = unasked ?? (postponed.length > 0 ? unsignedDeletions : undefined)
  const toCheck = { changes, secrets: manifests.secrets.secrets() }
  const isChecked = await requireHealthy(run, toCheck, pruned, custom, context)
  await clearance.applied?.()
  if (!held) await keepApplied(run, context)
  if (restraint.approval || clearance.isJudged) {
    const appliedAs = specOfGeneration(kustomization)
    const put = () => context.builds.put(kustomization, { revision, manifests: built, appliedAs })
    await rememberApproved({ unit: kustomization, digest: built.digest, pass, put }, context)
  }
  const isUnchanged = routine && describeChanges(changes) === '' && isSameJson(entries, recorded)
  const finished = {
    ...succeed(run, entries, held, isUnchanged),
    ...(!isShared && { afterMs: retryIntervalOf(kustomization) }),
    ...(moves.hold && (held || postponed.length > 0) && { afterMs: moves.hold.afterMs }),
  }
  const outcome = withDeletionsWaiting(finished, { unit: kustomization, postponed, hold, ...timing })
  const cleared = { ...(!isChecked && { Healthy: null }), [driftedCondition]: null }
  return { ...outcome, conditions: { ...outcome.conditions, ...cleared } }
}
