import {
  isPending,
  obsoleteVersions,
  type Release,
  type ReleaseHook,
  withStatus,
} from '../../engines/helm/release/release.ts'
import type { ActionDeps, ActionOutcome, RollbackRequest } from './action.ts'
import { objectsOf } from './objects.ts'
import { absentOf, isServerSide, methodOf, withoutTimes } from './plan.ts'
import { initialProgress, type Progress } from './progress.ts'
import { cleanUpCreated } from './replace-objects.ts'
import { ActionFailed, type ActionRun, type FailureHandler, IN_PROGRESS, timeOf } from './run.ts'
import type { StoredRelease } from './storage.ts'
import { supersede } from './supersede.ts'

/** Rolls back to an earlier version, which is stored as a new one, or continues a rollback. Throws ReleaseError. */
export const rollback = (deps: ActionDeps, request: RollbackRequest): Promise<ActionOutcome> =>
  supersede(deps, request, {
    action: 'rollback',
    missing: 'release: not found',
    begin: (run, history) => begin(run, history, request),
    failureHandler: (run, original) => failureHandler(run, original, request),
    namesHooks: false,
    upgradesManagers: () => true,
    superseded: history => history.filter(({ info }) => info.status === 'deployed'),
  })

/** As in Helm, a failed hook leaves the version pending, to be unlocked. */
const failureHandler = (run: ActionRun, original: Release | undefined, request: RollbackRequest): FailureHandler => {
  const { release, progress } = run.current
  const { name, hooks } = release
  switch (progress.step) {
    case 'objects':
      return {
        failedVersion: message => withStatus(release, 'failed', `Rollback "${name}" failed: ${message}`),
        undo: async message => {
          if (original) await run.settle(withStatus(original, 'superseded'))
          await cleanUpCreated(run, request, message, 'rollback')
        },
      }
    case 'wait':
      return {
        failedVersion: message => withStatus(release, 'failed', `Release "${name}" failed: ${message}`),
        summary: `release ${name} failed`,
        // Helm writes the version that it leaves once more, unchanged, and helm-controller takes that for a part of the rollback.
        undo: async () => {
          if (original) await run.settle(original)
        },
      }
    default:
      return { failedVersion: () => ({ ...release, ...(hooks && { hooks: hooks.map(asStillRunning) }) }) }
  }
}

/** Helm stores that a hook has started, and later only that it has succeeded. */
const asStillRunning = (hook: ReleaseHook): ReleaseHook => {
  const { completed_at, ...last_run } = hook.last_run
  return last_run.phase === 'Failed' ? { ...hook, last_run: { ...last_run, phase: 'Running' } } : hook
}

/** The version that a rollback stores first. Throws ActionFailed. */
export const draftRollback = (
  { clock }: Pick<ActionDeps, 'clock'>,
  releases: readonly Release[],
  request: RollbackRequest,
): Release => {
  const last = releases[0]!
  if (isPending(last)) throw new ActionFailed(IN_PROGRESS)
  const target = releases.find(({ version }) => version === request.version)
  if (!target) throw new ActionFailed(`release has no ${request.version} version`)
  const serverSideApply = isServerSide(request.serverSideApply, target)
  return {
    ...withoutTimes(target),
    version: last.version + 1,
    info: {
      ...(last.info.first_deployed && { first_deployed: last.info.first_deployed }),
      ...{ last_deployed: timeOf(clock.now()), status: 'pending-rollback' },
      ...{ description: `Rollback to ${target.version}` },
      ...(target.info.notes && { notes: target.info.notes }),
    },
    apply_method: methodOf(serverSideApply),
  }
}

const begin = async (run: ActionRun, history: readonly StoredRelease[], request: RollbackRequest): Promise<void> => {
  const { deps } = run
  const releases = history.map(({ release }) => release)
  const release = draftRollback(deps, releases, request)
  const progress: Progress = {
    ...initialProgress('rollback', request, deps.clock.now()),
    from: releases[0]!.version,
    ...(request.cleanupOnFail && { absent: await absentObjects(deps, release, request) }),
  }
  run.begin(await deps.storage.create(release, progress, obsoleteVersions(releases, request.maxHistory)))
}

const absentObjects = async (
  deps: ActionDeps,
  { manifest = '', name, namespace }: Release,
  request: RollbackRequest,
): Promise<readonly string[]> => {
  const id = { name, namespace: namespace ?? request.namespace }
  return absentOf(deps, await objectsOf(deps, manifest, id.namespace), id, true)
}
