/** Performs one action on a release: makes its request, records what it wrote, and reports the result. */
import { type ActionOutcome, ReleaseError } from '../../clusters/helm-release/action.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import type { ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import type { ActionName } from './decide.ts'
import { isOf, isTested, previousGood } from './history.ts'
import { inventoryOf } from './inventory.ts'
import { recordReleased, recordTests, recordUnlocked, recordWritten } from './record.ts'
import { installRemediation, upgradeRemediation } from './remediation.ts'
import {
  countAgainst,
  reportNotReleased,
  reportNotRemediated,
  reportReleased,
  reportRemediated,
  reportTested,
  reportTestsFailed,
  reportUndone,
  reportUnlocked,
} from './report.ts'
import { installRequest, rollbackRequest, testRequest, uninstallRequest, upgradeRequest } from './requests.ts'
import { summarize } from './summarize.ts'
import { versionOf } from './undo/contents-digest.ts'
import type { Work } from './work.ts'

/** `failed`: nothing was written, so there is nothing to remediate, and the action is retried. `waiting`: the next pass continues. */
export type Performed =
  | { readonly type: 'done'; readonly written?: readonly Release[] }
  | { readonly type: 'waiting'; readonly afterMs: number }
  | { readonly type: 'failed'; readonly message: string; readonly cause: unknown }

/** `startedAt`: when the action began, maybe in an earlier pass; milliseconds since the epoch. */
export const perform = async (action: ActionName, work: Work, startedAt: number): Promise<Performed> => {
  switch (action) {
    case 'install':
    case 'upgrade':
      return release(action, work, startedAt)
    case 'rollback':
    case 'uninstall':
      return remediate(action, work)
    case 'undo':
      return undo(work)
    case 'test':
      return runTests(work)
    case 'unlock':
      return unlock(work)
    case 'correct cluster drift':
      throw new Error('drift is corrected by its own step')
  }
}

interface Ended {
  readonly stored: readonly Release[]
  readonly failure?: { readonly message: string; readonly logs: readonly string[]; readonly cause: unknown }
}

/** Returns waits, and failures with the versions written so far. */
const end = async (
  run: Promise<ActionOutcome>,
): Promise<Ended | { readonly waitMs: number; readonly release: Release }> => {
  try {
    const outcome = await run
    return outcome.state === 'waiting'
      ? { waitMs: outcome.retryAfterMs, release: outcome.release }
      : { stored: outcome.stored }
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error
    return { stored: error.stored, failure: { message: error.message, logs: error.logs, cause: error } }
  }
}

/** The versions that an action wrote, including those of earlier passes: stored versions that differ from the status. */
const withEarlier = async ({ deps, draft, name }: Work, written: readonly Release[]): Promise<readonly Release[]> => {
  if (written.length === 0) return written
  const { history = [] } = draft.status
  const earlier = (await deps.storage.history(name))
    .map(({ release }) => release)
    .filter(release => !written.some(({ version }) => version === release.version))
    .filter(release => history.some(snapshot => isOf(snapshot, release) && snapshot.status !== release.info.status))
  return [...written, ...earlier]
}

const release = async (action: 'install' | 'upgrade', work: Work, startedAt: number): Promise<Performed> => {
  const { draft, pass, actions, deps, requests, attempt, settings, now } = work
  draft.set({ lastAttemptedReleaseAction: action })
  if (action === 'install') draft.set({ history: null })
  draft.remove('TestSuccess')
  draft.remove('Remediated')
  const ended = await end(
    action === 'install'
      ? actions.install(deps, installRequest(draft.onCluster, work, requests))
      : actions.upgrade(deps, upgradeRequest(draft.onCluster, work, requests)),
  )
  if ('waitMs' in ended) {
    // Users want to see what a first installation waits for.
    if (!draft.status.inventory) await recordInventory(work, [ended.release])
    return { type: 'waiting', afterMs: ended.waitMs }
  }
  draft.set({ lastAttemptedReleaseActionDuration: formatDuration(now() - startedAt) })
  recordReleased(draft, action, await withEarlier(work, ended.stored), ended.failure?.message)
  await recordInventory(work, ended.stored)
  const { failure } = ended
  if (!failure) reportReleased(draft, action, settings.retryOnFailure, pass.event)
  else {
    reportNotReleased(draft, action, attempt, failure, pass.event)
    const { spec } = draft.release
    if (ended.stored.length > 0)
      countAgainst(draft, action === 'install' ? installRemediation(spec) : upgradeRemediation(spec))
  }
  summarize(draft)
  return failure && ended.stored.length === 0 ? { type: 'failed', ...failure } : { type: 'done', written: ended.stored }
}

const recordInventory = async ({ draft, deps, chart, pass }: Work, [newest]: readonly Release[]): Promise<void> => {
  if (!newest) return
  draft.set({ inventory: { entries: await inventoryOf(deps, newest, chart, pass.signal) } })
}

const remediate = async (action: 'rollback' | 'uninstall', work: Work): Promise<Performed> => {
  const { draft, pass, actions, deps, requests, attempt } = work
  const { history = [] } = draft.status
  const ignoresTests = upgradeRemediation(draft.release.spec).ignoresTestFailures
  const target = action === 'rollback' ? previousGood(history, ignoresTests) : history[0]
  if (!target) throw new Error(`there is no version to ${action === 'rollback' ? 'roll back to' : 'uninstall'}`)
  const ended = await end(
    action === 'rollback'
      ? actions.rollback(deps, rollbackRequest(draft.onCluster, target.version, requests))
      : actions.uninstall(deps, uninstallRequest(draft.onCluster, requests)),
  )
  if ('waitMs' in ended) return { type: 'waiting', afterMs: ended.waitMs }
  const written = await withEarlier(work, ended.stored)
  recordWritten(draft, action === 'rollback' ? 'rollback' : 'uninstall-remediation', written)
  if (action === 'rollback') await recordInventory(work, ended.stored)
  const { failure } = ended
  const recorded = draft.status.history?.find(snapshot => isSame(snapshot, target)) ?? target
  const digest = action === 'rollback' ? attempt.configDigest : recorded.configDigest
  if (failure) reportNotRemediated(draft, action, recorded, digest, failure, pass.event)
  else reportRemediated(draft, action, recorded, digest, pass.event)
  if (action === 'rollback') summarize(draft) // for an uninstallation, Ready keeps showing the cause
  return failure && ended.stored.length === 0 ? { type: 'failed', ...failure } : { type: 'done', written: ended.stored }
}

/** Rolls back to the contents of an undo; what a process before this one has begun is continued, whatever its version is. */
const undo = async (work: Work): Promise<Performed> => {
  const { draft, pass, actions, deps, requests, name } = work
  draft.remove('TestSuccess')
  draft.remove('Remediated')
  const target = work.undo && versionOf(await deps.storage.history(name), work.undo)?.release
  const request = rollbackRequest(draft.onCluster, target ? target.version : 0, requests)
  const ended = await end(actions.rollback(deps, request))
  if ('waitMs' in ended) return { type: 'waiting', afterMs: ended.waitMs }
  recordWritten(draft, 'rollback', await withEarlier(work, ended.stored))
  await recordInventory(work, ended.stored)
  const { failure } = ended
  reportUndone(draft, work.attempt, failure, pass.event)
  summarize(draft)
  return failure && ended.stored.length === 0 ? { type: 'failed', ...failure } : { type: 'done', written: ended.stored }
}

const isSame = (a: ReleaseSnapshot, b: ReleaseSnapshot): boolean => isOf(a, b)

const runTests = async ({ draft, pass, actions, deps, requests }: Work): Promise<Performed> => {
  const ended = await end(actions.test(deps, testRequest(draft.onCluster, requests)))
  if ('waitMs' in ended) return { type: 'waiting', afterMs: ended.waitMs }
  if (ended.stored[0]) recordTests(draft, ended.stored[0])
  const { failure } = ended
  if (failure) reportTestsFailed(draft, failure, pass.event)
  else reportTested(draft, pass.event)
  summarize(draft)
  const isDone = !failure || isTested(draft.status.history![0]!)
  return isDone ? { type: 'done' } : { type: 'failed', ...failure }
}

const unlock = async ({ draft, pass, actions, deps, name }: Work): Promise<Performed> => {
  const before = (await deps.storage.history(name))[0]?.release.info.status ?? ''
  const written = await actions.unlock(deps, name)
  if (written) reportUnlocked(draft, recordUnlocked(draft, written), before, pass.event)
  summarize(draft)
  return { type: 'done' }
}
