import type { Difference } from '../../clusters/helm-release/drift.ts'
import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import { overlay } from '../../engines/helm/read-yaml.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { type ActionName, type Decision, decide, type TargetCheck } from './decide.ts'
import { correctDrift, findDrift, looksForDrift, reportDrift } from './drift.ts'
import { failure, waiting } from './failure.ts'
import { isOf, previousGood } from './history.ts'
import { timeoutOf } from './names.ts'
import { perform } from './perform.ts'
import { type ReleaseState, releaseState, type StoredVersion, type Wanted } from './release-state.ts'
import { activeRemediation, activeRetry, areRetriesExhausted, failureCount } from './remediation.ts'
import { type Attempt, successMessage } from './report.ts'
import { tokenOf } from './requests.ts'
import { releaseDigest } from './snapshot.ts'
import { summarize } from './summarize.ts'
import type { Work } from './work.ts'

type ActionType = 'release' | 'remediate' | 'unlock' | 'test' | 'correct'

const typeOf: Readonly<Record<ActionName, ActionType>> = {
  install: 'release',
  upgrade: 'release',
  rollback: 'remediate',
  uninstall: 'remediate',
  unlock: 'unlock',
  test: 'test',
  'correct cluster drift': 'correct',
}

/**
 * Looks at the state of the release, acts, and looks again, until nothing is left to do, an action of the same type would come again, or
 * the release was remediated (HR-049). An action that a pass has left unfinished is gone on with first.
 */
export const runActions = async (work: Work): Promise<Outcome<HelmRelease>> => {
  const { draft, pass, settings } = work
  const done: ActionType[] = []
  for (;;) {
    const stored = await storedVersions(work)
    const unfinished = unfinishedAction(work, stored)
    const { decision, drift }: Judgement = unfinished
      ? { decision: { type: 'act', action: unfinished.action }, drift: [] }
      : await decideNow(work, stored)
    if ('history' in decision && decision.history)
      draft.set({ history: decision.history.length > 0 ? decision.history : null })
    if (decision.type === 'retries exceeded') return retriesExceeded(work)
    if (decision.type === 'missing rollback target') {
      const why = 'missing target release for rollback: cannot remediate failed release'
      return stall(work, 'MissingRollbackTarget', `Failed to perform remediation: ${why}`)
    }
    if (drift.length > 0) reportDrift(work, drift)
    if (decision.type === 'stop') return inSync(work, drift.length > 0)
    const { action } = decision
    const type = typeOf[action]
    if (done.includes(type)) return again(work)

    if (pass.dryRun) throw new WouldWrite(action)
    announce(work, action)
    await pass.update(draft.change(), { fleeting: true })
    const begun = unfinished ? { ...work, attempt: attemptOf(stored[0]!.release) } : work
    const performed =
      action === 'correct cluster drift'
        ? await correctDrift(begun, drift)
        : await perform(action, begun, unfinished?.startedAt ?? work.now())
    if (performed.type === 'waiting')
      return { ...waiting(draft, performed.afterMs), leavesRequest: true } as Outcome<HelmRelease>
    // What was begun for another spec, chart or values tells nothing of these: they have a pass of their own.
    if (unfinished && work.isAnotherAttempt()) return waiting(draft, 0)
    if (performed.type === 'failed') return notDone(work, performed.message)
    if (type === 'remediate') return afterRemediation(work)
    done.push(type)
    await pass.update(draft.change())
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
    const goesOn =
      !remediation || !areRetriesExhausted(remediation, draft.status) || remediation.isUninstallAfterUpgrade
    return goesOn ? requeue(work) : retriesExceeded(work)
  }

  function again(work: Work): Outcome<HelmRelease> {
    const retry = activeRetry(draft.release, draft.status, settings.retryOnFailure)
    if (retry !== undefined) return retryLater(work, retry)
    const remediation = activeRemediation(draft.release, draft.status)
    if (!remediation || !areRetriesExhausted(remediation, draft.status)) return requeue(work)
    draft.remove('Reconciling')
    return waiting(draft, intervalOf(draft.release), true)
  }
}

const storedVersions = async ({ deps, name, draft, pass }: Work): Promise<readonly StoredRelease[]> => {
  try {
    return await deps.storage.history(name)
  } catch (error) {
    pass.signal.throwIfAborted()
    const why = `failed to retrieve last release from storage: query: failed to query with labels: ${errorMessage(error)}`
    throw failure(draft, 'StateError', `Could not determine release state: ${why}`)
  }
}

/** What a release was made from that is not finished yet. */
const attemptOf = ({ chart, config }: Release): Attempt => {
  const { name = '', version = '', appVersion } = (chart?.metadata ?? {}) as Readonly<Record<string, string>>
  return { chartName: name, chartVersion: version, appVersion, configDigest: valuesDigest(valuesOf(config)) }
}

const valuesOf = (config: Release['config'] = {}): ValueMap => fromJson(config, { integers: 'float64' }) as ValueMap

/** The action that an earlier pass has begun and not ended. */
export const unfinishedAction = ({ draft }: Pick<Work, 'draft'>, [last]: readonly StoredRelease[]) => {
  const progress = last?.progress
  return progress && progress.token === tokenOf(draft.release) ? progress : undefined
}

interface Judgement {
  readonly decision: Decision
  /** How the cluster differs from the release, where that is looked for. */
  readonly drift: readonly Difference[]
}

const decideNow = async (work: Work, stored: readonly StoredRelease[]): Promise<Judgement> => {
  const { draft, settings } = work
  const isForced = takeUpRequest(work, 'reconcile.fluxcd.io/forceAt', 'lastHandledForceAt')
  let state: ReleaseState
  let drift: readonly Difference[] = []
  try {
    state = releaseState(draft.release, draft.status, versionOf(work, stored[0]), wantedOf(work, stored[0]))
    if (state === 'InSync' && looksForDrift(draft.release)) drift = await findDrift(work, stored[0]!.release)
    if (drift.length > 0) state = 'Drifted'
  } catch (error) {
    throw failure(draft, 'StateError', `Could not determine release state: ${errorMessage(error)}`)
  }
  const target = state === 'Failed' ? targetOf(work, stored) : 'none'
  const circumstances = { state, isForced, retriesByDefault: settings.retryOnFailure, target }
  return { decision: decide(draft.release, draft.status, circumstances), drift }
}

/** With `preserveValues`, those of the release before count where the new ones say nothing. */
const wantedOf = ({ draft, wanted, values }: Work, stored: StoredRelease | undefined): Wanted => {
  if (!draft.release.spec.upgrade?.preserveValues || !stored) return wanted
  return { ...wanted, configDigest: valuesDigest(overlay(valuesOf(stored.release.config), values)) }
}

/** Whether an annotation asks for something that was not done yet: it must say the same as the one that asks for a pass (HR-109). */
export const takeUpRequest = (
  { draft }: Pick<Work, 'draft'>,
  annotation: string,
  field: 'lastHandledForceAt' | 'lastHandledResetAt',
): boolean => {
  const { annotations = {} } = draft.release.metadata
  const asked = annotations[annotation]
  if (asked === undefined) return false
  const handled = draft.status[field]
  draft.set({ [field]: asked })
  const requested = annotations['reconcile.fluxcd.io/requestedAt']
  return asked === requested && draft.status.lastHandledReconcileAt !== requested && handled !== asked
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

/** An installation or upgrade is told by Ready too; other actions would hide why they are run. */
const announce = ({ draft }: Work, action: ActionName): void => {
  const timed = action === 'unlock' || action === 'correct cluster drift' ? undefined : action
  const message = `Running '${action}' action with timeout of ${formatDuration(timeoutOf(draft.release, timed))}`
  draft.markReconciling('Progressing', message)
  if (typeOf[action] === 'release') draft.mark('Ready', 'Unknown', 'Progressing', message)
}

/** Nothing is left to do. What an earlier failure has left in the conditions is so no more (HR-054). */
const inSync = ({ draft }: Work, hasDrifted: boolean): Outcome<HelmRelease> => {
  const [current] = draft.status.history ?? []
  if (current && !hasDrifted) {
    if (isConditionTrue(draft.status.conditions, 'Remediated')) {
      draft.remove('Remediated')
      draft.mark('Released', 'True', 'UpgradeSucceeded', successMessage('upgrade', current))
    }
    const { reason } = draft.condition('Released') ?? {}
    if (reason === 'InstallFailed')
      draft.mark('Released', 'True', 'InstallSucceeded', successMessage('install', current))
    if (reason === 'UpgradeFailed')
      draft.mark('Released', 'True', 'UpgradeSucceeded', successMessage('upgrade', current))
    if (looksForDrift(draft.release))
      draft.mark('Drifted', 'False', 'NoDriftDetected', 'No drift detected against the cluster state')
  }
  draft.remove('Reconciling')
  summarize(draft)
  const ready = draft.condition('Ready')
  if (ready?.status !== 'True') return waiting(draft, intervalOf(draft.release), true)
  const { reason, message } = ready
  const { status } = draft.release
  const wasReady =
    isConditionTrue(status?.conditions, 'Ready') && status?.observedGeneration === draft.release.metadata.generation
  return { type: 'done', reason, message, ...draft.change(), ...(!wasReady && { triggersDependents: 'readiness' }) }
}

const retryLater = ({ draft }: Work, afterMs: number): Outcome<HelmRelease> => {
  draft.markReconciling('ProgressingWithRetry', `retrying after ${formatDuration(afterMs)}`)
  return waiting(draft, afterMs, true)
}

/** As controller-runtime does with what is to be looked at again: at once, and after each failure twice as long. */
const requeue = ({ draft }: Work): Outcome<HelmRelease> => {
  draft.markReconciling('ProgressingWithRetry', draft.condition('Ready')?.message ?? '')
  return waiting(draft, Math.min(shortestMs * 2 ** (draft.status.failures ?? 0), longestMs))
}

const shortestMs = 5
const longestMs = 15 * 60_000

const stall = ({ draft }: Work, reason: string, message: string): Outcome<HelmRelease> => {
  draft.markStalled(reason, message)
  const ready = draft.condition('Ready')
  return {
    type: 'stalled',
    reason,
    message,
    event: null,
    ...(ready && { ready: { reason: ready.reason, message: ready.message } }),
    ...draft.change(),
  }
}

/** The action has written nothing: it is tried again, after the retry interval where there is one. */
const notDone = (work: Work, message: string): Outcome<HelmRelease> => {
  const { draft, settings } = work
  const retry = activeRetry(draft.release, draft.status, settings.retryOnFailure)
  if (retry !== undefined) return retryLater(work, retry)
  const ready = draft.condition('Ready')
  const isTold = ready?.status === 'False'
  const [reason, told] = isTold ? [ready.reason, ready.message] : ['ReconcileError', message]
  return { type: 'failed', reason, message: told, event: null, keepsReconciling: true, ...draft.change() }
}
