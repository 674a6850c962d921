import type { Difference } from '../../clusters/helm-release/drift.ts'
import type { Ended, Progress } from '../../clusters/helm-release/progress.ts'
import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import { overlay } from '../../engines/helm/read-yaml.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { forceAtAnnotation, intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { contentsOfUndo, withPlan } from './attempt-inputs.ts'
import { type ActionName, decide, type TargetCheck } from './decide.ts'
import { correctDrift, detectsDrift, findDrift, reportDrift } from './drift.ts'
import { failure, waiting } from './failure.ts'
import { begunWith, heldByApproval, type ReleaseClearance } from './held-by-approval.ts'
import { forgetHeld, upgradeHeldByGuard } from './held-by-guard.ts'
import { heldByWindows } from './held-by-windows.ts'
import { isOf, previousGood } from './history.ts'
import { keepReleased } from './keep-released.ts'
import { timeoutOf } from './names.ts'
import { noteAction } from './note-action.ts'
import { inSync, isCutShort, notDone, requeue, retryLater, stall } from './pass-ends.ts'
import { perform } from './perform.ts'
import { type ReleaseState, releaseState, type StoredVersion, type Wanted } from './release-state.ts'
import { noteReleased } from './released-values.ts'
import { activeRemediation, activeRetry, areRetriesExhausted, failureCount } from './remediation.ts'
import { requireOwn } from './require-own.ts'
import { storageOnlyFor } from './signed-release.ts'
import { releaseDigest } from './snapshot.ts'
import { storedVersions } from './stored-versions.ts'
import { type Assessment, decideUndone } from './undo/decide-undone.ts'
import { attemptOf, endedActions, unfinishedAction, valuesOf } from './unfinished.ts'
import type { Work } from './work.ts'

type ActionType = 'release' | 'remediate' | 'undo' | 'unlock' | 'test' | 'correct'

const typeOf: Readonly<Record<ActionName, ActionType>> = {
  install: 'release',
  upgrade: 'release',
  rollback: 'remediate',
  undo: 'undo',
  uninstall: 'remediate',
  unlock: 'unlock',
  test: 'test',
  'correct cluster drift': 'correct',
}

/**
 * Determines the state of the release and acts, repeatedly, until nothing is left to do, an action of the same type would be repeated, or the
 * release was remediated (HR-049). First continues an action that an earlier pass left unfinished.
 */
export const runActions = async (work: Work): Promise<Outcome<HelmRelease>> => {
  const { draft, pass, settings, plans } = work
  const done: ActionType[] = []
  for (;;) {
    const stored = await storedVersions(work)
    noteReleased(draft.release, stored, pass.note, work.values)
    const unfinished = unfinishedAction(draft, stored)
    const { decision, drift }: Assessment = unfinished
      ? { decision: { type: 'act', action: contentsOfUndo(unfinished) ? 'undo' : unfinished.action }, drift: [] }
      : await (work.undo ? decideUndone(work, stored, work.undo) : decideNow(work, stored))
    if ('history' in decision && decision.history)
      draft.set({ history: decision.history.length > 0 ? decision.history : null })
    if (decision.type === 'retries exceeded') return retriesExceeded(work)
    if (decision.type === 'missing rollback target') {
      const why = 'missing target release for rollback: cannot remediate failed release'
      return stall(work, 'MissingRollbackTarget', `Failed to perform remediation: ${why}`)
    }
    if (drift.length > 0) reportDrift(work, drift)
    if (decision.type === 'stop' && draft.condition(pruneGuarded)) await forgetHeld(work)
    if (decision.type === 'stop') return inSync(work, drift.length > 0)
    const { action } = decision
    const type = typeOf[action]
    if (done.includes(type)) return again(work)
    const isLeft = type === 'release' || (type === 'remediate' && plans.signatures !== undefined)
    if (work.onlyEndsAction && isLeft && !unfinished) return waiting(draft, 0)

    const isBegun = unfinished !== undefined || done.length > 0
    const held = isBegun ? undefined : heldByWindows(work, action)
    if (held === 'reported') return inSync(work, true)
    if (held) return held
    const clearance: ReleaseClearance = unfinished
      ? begunWith(work, unfinished)
      : isBegun && !plans.signatures
        ? {}
        : await heldByApproval(work, action, stored[0]?.release)
    if (clearance.waiting) {
      // A pass that waits leaves the status as it was: what this one has done is stored first.
      if (done.length > 0) return waiting(draft, 0)
      await keepReleased(work, stored[0])
      return clearance.waiting
    }
    const guarded = isBegun ? undefined : await upgradeHeldByGuard(work, action, clearance.deletions)
    if (guarded) return guarded
    if (pass.dryRun) throw new WouldWrite(action)
    markRunning(work, action)
    pass.note({ phase: 'Release', ...(unfinished && { continues: unfinished.startedAt }) })
    await pass.update(draft.change(), { fleeting: done.length === 0 })
    const begun = unfinished ? resumed(work, stored[0]!) : approvedBy(work, clearance)
    const performed =
      action === 'correct cluster drift'
        ? await correctDrift(begun, drift)
        : await perform(action, begun, unfinished?.startedAt ?? work.now())
    if (performed.type !== 'waiting')
      await noteAction(begun, action, stored, performed.type === 'done' ? (performed.written ?? []) : [])
    if (performed.type === 'waiting')
      return { ...waiting(draft, performed.afterMs), leavesRequest: true } as Outcome<HelmRelease>
    if (performed.type === 'done') await clearance.applied?.()
    // The action was for an earlier spec, chart or values, so its result does not count for the present ones: they get a pass of their own.
    if (unfinished && work.isAnotherAttempt() && !isCutShort(work)) return waiting(draft, 0)
    if (work.undo && isBeforeUndo(work, action, unfinished)) return waiting(draft, 0)
    if (performed.type === 'failed') return notDone(work, performed.message)
    if (type === 'release' || type === 'remediate' || type === 'undo') await forgetHeld(work)
    if (type === 'remediate') return afterRemediation(work)
    done.push(type)
    // What became of a release is stored with it, too: the status may follow with what this pass does next.
    await pass.update(draft.change(), { fleeting: type === 'release' })
  }

  function retriesExceeded({ draft }: Work): Outcome<HelmRelease> {
    const { status, release } = draft
    const remediation = activeRemediation(release, status)
    const count = remediation ? failureCount(remediation, status) : 0
    return stall(work, 'RetriesExceeded', `Failed to ${status.lastAttemptedReleaseAction} after ${count} attempt(s)`)
  }

  function afterRemediation(work: Work): Outcome<HelmRelease> {
    const retry = activeRetry(draft.release, draft.status, settings.retryOnFailure)
    if (retry !== undefined) return retryLater(work, retry)
    const remediation = activeRemediation(draft.release, draft.status)
    const mayContinue =
      !remediation || !areRetriesExhausted(remediation, draft.status) || remediation.isUninstallAfterUpgrade
    return mayContinue ? requeue(work) : retriesExceeded(work)
  }

  function again(work: Work): Outcome<HelmRelease> {
    if (work.undo) return waiting(draft, intervalOf(draft.release), true)
    const retry = activeRetry(draft.release, draft.status, settings.retryOnFailure)
    if (retry !== undefined) return retryLater(work, retry)
    const remediation = activeRemediation(draft.release, draft.status)
    if (!remediation || !areRetriesExhausted(remediation, draft.status)) return requeue(work)
    draft.remove('Reconciling')
    return waiting(draft, intervalOf(draft.release), true)
  }
}

/** What an undo finds under way, or pending, is ended first: windows, users and the guard decide about the rollback in a pass of its own. */
const isBeforeUndo = ({ undo }: Work, action: ActionName, unfinished: Progress | Ended | undefined): boolean =>
  action === 'unlock' || (unfinished !== undefined && contentsOfUndo(unfinished) !== undo)

/** The work with the plan that allows it: a later pass may end the action. What is signed allows nothing else than these contents. */
const approvedBy = (work: Work, { plan, contents }: ReleaseClearance): Work => {
  const inputs = plan && withPlan(work.requests.inputs, plan)
  return {
    ...work,
    ...(inputs && { requests: { ...work.requests, inputs } }),
    ...(contents && { deps: { ...work.deps, storage: storageOnlyFor(work.deps.storage, contents) } }),
  }
}

/** The work with the stored state of the action that it continues. */
const resumed = (work: Work, stored: StoredRelease): Work => ({
  ...work,
  attempt: attemptOf(stored),
  actions: endedActions(work.actions, stored),
})

const decideNow = async (work: Work, stored: readonly StoredRelease[]): Promise<Assessment> => {
  const { draft, settings } = work
  const isForced = takeUpRequest(work, forceAtAnnotation, 'lastHandledForceAt')
  let state: ReleaseState
  let drift: readonly Difference[] = []
  try {
    state = releaseState(draft.release, draft.status, versionOf(work, stored[0]), wantedOf(work, stored[0]))
    if (state === 'InSync' && detectsDrift(draft.release)) drift = await findDrift(work, stored[0]!.release)
    if (drift.length > 0) state = 'Drifted'
    // After an undo, chart and values may be the same, and what was made of them another.
    if ((state === 'InSync' || state === 'Drifted') && contentsOfUndo(stored[0]!.ended)) state = 'OutOfSync'
    if (state === 'Locked') requireOwn(work, stored[0]!)
  } catch (error) {
    throw failure(draft, 'StateError', `Could not determine release state: ${errorMessage(error)}`)
  }
  const target = state === 'Failed' ? targetOf(work, stored) : 'none'
  const circumstances = { state, isForced, retriesByDefault: settings.retryOnFailure, target }
  return { decision: decide(draft.release, draft.status, circumstances), drift }
}

/** With `preserveValues`, the values of the previous release apply where the new ones are silent. */
const wantedOf = ({ draft, wanted, values }: Work, stored: StoredRelease | undefined): Wanted => {
  if (!draft.release.spec.upgrade?.preserveValues || !stored) return wanted
  return { ...wanted, configDigest: valuesDigest(overlay(valuesOf(stored.release.config), values)) }
}

/** Whether an annotation requests something that has not been handled: it must equal the one that requests the reconciliation (HR-109). */
export const takeUpRequest = (
  { draft }: Pick<Work, 'draft'>,
  annotation: string,
  field: 'lastHandledForceAt' | 'lastHandledResetAt',
): boolean => {
  const { annotations = {} } = draft.release.metadata
  const value = annotations[annotation]
  if (value === undefined) return false
  const handled = draft.status[field]
  draft.set({ [field]: value })
  const requested = annotations['reconcile.fluxcd.io/requestedAt']
  return value === requested && draft.status.lastHandledReconcileAt !== requested && handled !== value
}

const versionOf = ({ draft }: Work, stored: StoredRelease | undefined): StoredVersion | undefined => {
  if (!stored) return undefined
  const { release } = stored
  return {
    status: release.info.status,
    chartName: release.chart?.metadata.name ?? '',
    chartVersion: release.chart?.metadata.version ?? '',
    digest: releaseDigest(release, draft.status.history?.[0]?.ociDigest),
  }
}

/** Whether the version to roll back to is stored as it was recorded. */
const targetOf = ({ draft }: Work, stored: readonly StoredRelease[]): TargetCheck => {
  const { status, release } = draft
  const ignoresTests = activeRemediation(release, status)?.ignoresTestFailures ?? false
  const target = previousGood(status.history ?? [], ignoresTests)
  if (!target) return 'none'
  const found = stored.find(({ release }) => isOf(target, release))
  if (!found) return 'altered'
  const isIntact = target.apiVersion !== 'v2' || releaseDigest(found.release, target.ociDigest) === target.digest
  return isIntact ? 'intact' : 'altered'
}

/** Ready reports installations, upgrades and undos, too; other actions would hide their cause there. */
const markRunning = ({ draft }: Work, action: ActionName): void => {
  const shown = action === 'undo' ? 'rollback' : action
  const timed = shown === 'unlock' || shown === 'correct cluster drift' ? undefined : shown
  const message = `Running '${shown}' action with timeout of ${formatDuration(timeoutOf(draft.release, timed))}`
  draft.markReconciling('Progressing', message)
  if (typeOf[action] === 'release' || action === 'undo') draft.mark('Ready', 'Unknown', 'Progressing', message)
}
