import {
  beyondHistory,
  isPending,
  type Release,
  type ReleaseHook,
  withStatus,
} from '../../engines/helm/release/release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import type { ActionDeps, ActionOutcome, RollbackRequest } from './action.ts'
import { runHooks } from './hooks.ts'
import { objectsOf } from './objects.ts'
import { withOwnership } from './ownership.ts'
import { adoptable, isServerSide, methodOf } from './plan.ts'
import type { Progress } from './progress.ts'
import { replaceObjects, takeAwayCreated } from './replace-objects.ts'
import { ActionFailed, orFail, type Run, runAction, saying, timeOf } from './run.ts'
import type { StoredRelease } from './storage.ts'
import { IN_PROGRESS } from './upgrade.ts'

/** Goes back to a version of before, as a new version; or goes on with that. Throws ReleaseError. */
export const rollback = (deps: ActionDeps, request: RollbackRequest): Promise<ActionOutcome> =>
  runAction(deps, async run => {
    const history = await deps.storage.history(request.name)
    const [last] = history
    if (!last) throw new ActionFailed('release: not found')
    if (isOurs(last, request)) run.begin(last)
    else await begin(run, history, request)
    const { from } = run.current.progress
    const original = history.find(({ release }) => release.version === from)?.release
    await orFail(
      run,
      () => perform(run, original, request),
      message => failed(run, message),
      async failure => {
        if (run.current.progress.step !== 'objects') return
        if (original && original.info.status === 'deployed') await run.settle(withStatus(original, 'superseded'))
        await takeAwayCreated(run, request, failure, 'rollback')
      },
    )
    for (const { release } of history)
      if (release.info.status === 'deployed') await run.settle(withStatus(release, 'superseded'))
    const deployed = withStatus(run.current.release, 'deployed')
    await run.settle(deployed)
    return deployed
  })

/** The version that a failed rollback leaves. As in Helm, a failed hook leaves it pending, to be unlocked. */
const failed = (run: Run, message: string): Release => {
  const { release, progress } = run.current
  const { name, hooks } = release
  if (progress.step === 'objects') return withStatus(release, 'failed', `Rollback "${name}" failed: ${message}`)
  if (progress.step === 'wait')
    return withStatus(release, 'failed', `Release "${name}" failed: ${message.slice(notReady(name).length + 2)}`)
  return { ...release, ...(hooks && { hooks: hooks.map(asStillRunning) }) }
}

const notReady = (name: string): string => `release ${name} failed`

/** Helm writes that a hook has begun, and after that only that it has succeeded. */
const asStillRunning = (hook: ReleaseHook): ReleaseHook => {
  const { completed_at, ...last_run } = hook.last_run
  return last_run.phase === 'Failed' ? { ...hook, last_run: { ...last_run, phase: 'Running' } } : hook
}

const isOurs = ({ progress, release }: StoredRelease, { token }: RollbackRequest): boolean =>
  progress?.action === 'rollback' && progress.token === token && release.info.status === 'pending-rollback'

/** Writes the version that the rollback makes, before anything of it is applied. */
const begin = async (run: Run, history: readonly StoredRelease[], request: RollbackRequest): Promise<void> => {
  const { deps } = run
  const last = history[0]!.release
  if (isPending(last)) throw new ActionFailed(IN_PROGRESS)
  const target = history.find(({ release }) => release.version === request.version)?.release
  if (!target) throw new ActionFailed(`release has no ${request.version} version`)
  const serverSideApply = isServerSide(request.serverSideApply, target)
  const { createdAt, modifiedAt, ...labels } = target.labels ?? {}
  const release: Release = {
    ...target,
    version: last.version + 1,
    labels,
    info: {
      ...(last.info.first_deployed && { first_deployed: last.info.first_deployed }),
      ...{ last_deployed: timeOf(deps.clock.now()), status: 'pending-rollback' },
      ...{ description: `Rollback to ${target.version}` },
      ...(target.info.notes && { notes: target.info.notes }),
    },
    apply_method: methodOf(serverSideApply),
  }
  const progress: Progress = {
    ...{ action: 'rollback', token: request.token, startedAt: deps.clock.now(), step: 'before' },
    ...{ stepStartedAt: deps.clock.now(), from: last.version },
    ...(request.cleanupOnFail && { absent: await absentObjects(deps, release, request) }),
  }
  const releases = history.map(({ release }) => release)
  run.begin(await deps.storage.create(release, progress, beyondHistory(releases, request.maxHistory)))
}

const absentObjects = async (
  deps: ActionDeps,
  { manifest = '', name, namespace }: Release,
  request: RollbackRequest,
): Promise<readonly string[]> => {
  const id = { name, namespace: namespace ?? request.namespace }
  const objects = await objectsOf(deps, manifest, id.namespace)
  const live = await adoptable(deps, objects, id, true)
  return objects.map(object => refKey(refOf(object))).filter(key => !live.has(key))
}

const perform = async (run: Run, original: Release | undefined, request: RollbackRequest): Promise<void> => {
  const { release } = run.current
  const { namespace = request.namespace } = release
  const serverSideApply = release.apply_method === 'ssa'
  if (run.current.progress.step === 'before') {
    await runHooks(run, 'pre-rollback', request, serverSideApply)
    run.enter('objects')
  }
  const owned = (object: KubernetesObject) => withOwnership(object, { name: request.name, namespace })
  try {
    await replaceObjects(run, original, owned, { ...request, serverSideApply, upgradeManagers: true })
  } catch (error) {
    throw run.current.progress.step === 'wait' ? saying(notReady(request.name), error) : error
  }
  await runHooks(run, 'post-rollback', request, serverSideApply)
}
