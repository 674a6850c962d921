import { crdsOf } from '../../engines/helm/chart-crds.ts'
import { type Release, withStatus } from '../../engines/helm/release/release.ts'
import { refKey, refOf } from '../../foundations/kinds/object.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps, ActionOutcome, InstallRequest } from './action.ts'
import { applyCrds } from './crds.ts'
import { runHooks } from './hooks.ts'
import { objectsOf, readLive } from './objects.ts'
import { withOwnership } from './ownership.ts'
import { absentOf, contentsOf, methodOf } from './plan.ts'
import { initialProgress, isBegunBy, type Progress } from './progress.ts'
import { renderRelease } from './render.ts'
import { ActionFailed, type ActionRun, orFail, runAction, timeOf, withContext } from './run.ts'
import type { StoredRelease } from './storage.ts'
import { waitForObjects } from './wait.ts'
import { createObjects, describeRead, updateObjects, type WriteOptions, type WrittenObjects } from './write-objects.ts'

/** Installs a release, or continues an installation. Throws ReleaseError. */
export const install = (deps: ActionDeps, request: InstallRequest): Promise<ActionOutcome> =>
  runAction(deps, async run => {
    const history = await deps.storage.history(request.name)
    const [last] = history
    if (last && isBegunBy(last, 'install', request)) run.begin(last)
    else await begin(run, history, request)
    await orFail(
      run,
      () => perform(run, request),
      () => ({
        failedVersion: message =>
          withStatus(run.current.release, 'failed', `Release "${request.name}" failed: ${message}`),
      }),
    )
    const deployed = withStatus(run.current.release, 'deployed', 'Install complete')
    await run.end(deployed)
    return deployed
  })

/** Everything before the first entry in the storage: a failure here leaves the release unchanged. */
const begin = async (run: ActionRun, history: readonly StoredRelease[], request: InstallRequest): Promise<void> => {
  const { deps } = run
  const last = history[0]?.release
  if (last && !(request.replace && ['uninstalled', 'failed'].includes(last.info.status)))
    throw new ActionFailed('release name check failed: cannot reuse a name that is still in use')
  await applyCrds(
    deps,
    crdsOf(request.chart),
    {
      ...{ policy: request.crds, serverSideApply: request.serverSideApply, labels: request.originLabels },
      fieldManager: request.fieldManager,
    },
    run.logs,
  )
  const release = await draftInstall(deps, last, request)
  const absent = await requireAdoptable(deps, release, request)
  if (request.createNamespace) await createNamespace(deps, request)
  if (last && last.info.status !== 'failed')
    await run.settle(withStatus(last, 'superseded', 'superseded by new release'))
  const progress: Progress = { ...initialProgress('install', request, deps.clock.now()), absent }
  run.begin(await deps.storage.create(release, progress))
}

/** The version that an installation stores first. `last` is the last version stored under this name. */
export const draftInstall = async (
  deps: ActionDeps,
  last: Release | undefined,
  request: InstallRequest,
): Promise<Release> => {
  const { name, namespace, values } = request
  const rendered = await renderRelease(deps, request, values, { name, namespace, revision: 1, isUpgrade: false })
  const { notes, ...contents } = contentsOf(request, values, rendered)
  const now = timeOf(deps.clock.now())
  return {
    ...{ name, namespace, version: last ? last.version + 1 : 1, ...contents },
    info: {
      ...{ first_deployed: now, last_deployed: now, description: 'Initial install underway' },
      ...{ status: 'pending-install', notes },
    },
    apply_method: methodOf(request.serverSideApply),
  }
}

/** Checks that existing objects may be adopted; returns the keys of those that are missing. */
const requireAdoptable = async (
  deps: ActionDeps,
  release: Release,
  request: InstallRequest,
): Promise<readonly string[]> => {
  let objects: Awaited<ReturnType<typeof objectsOf>>
  try {
    objects = await objectsOf(deps, release.manifest ?? '', request.namespace)
  } catch (error) {
    throw withContext('unable to build kubernetes objects from release manifest', error)
  }
  try {
    return await absentOf(deps, objects, request, request.takeOwnership)
  } catch (error) {
    throw withContext('unable to continue with install', error)
  }
}

const createNamespace = async (
  { cluster, signal }: ActionDeps,
  { namespace, fieldManager, serverSideApply }: InstallRequest,
): Promise<void> => {
  const object = {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name: namespace, labels: { name: namespace } },
  }
  try {
    if (serverSideApply) await cluster.apply(object, { fieldManager, force: false, signal })
    else await cluster.create(object, { fieldManager, signal })
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'alreadyExists') throw error
  }
}

const perform = async (run: ActionRun, request: InstallRequest): Promise<void> => {
  const { deps } = run
  const { serverSideApply, namespace, timeoutMs } = request
  const at = () => run.current.progress.step
  if (at() === 'before') {
    try {
      await runHooks(run, 'pre-install', request, serverSideApply)
    } catch (error) {
      throw withContext('failed pre-install', error)
    }
    run.enter('objects')
  }
  const objects = (await objectsOf(deps, run.current.release.manifest ?? '', namespace)).map(object =>
    withOwnership(object, request),
  )
  let written: WrittenObjects | undefined
  if (at() === 'objects') {
    written = await writeObjects(run, objects, request)
    run.enter('wait')
  }
  if (at() === 'wait') {
    const deadline = { since: run.current.progress.stepStartedAt, timeoutMs }
    await waitForObjects(deps, objects, request, deadline, written)
    run.enter('after')
  }
  try {
    await runHooks(run, 'post-install', request, serverSideApply)
  } catch (error) {
    throw withContext('failed post-install', error)
  }
}

/** If no object existed, Helm creates them all; if it adopts some, it updates. */
const writeObjects = async (
  run: ActionRun,
  objects: Awaited<ReturnType<typeof objectsOf>>,
  { fieldManager, serverSideApply }: InstallRequest,
): Promise<WrittenObjects> => {
  const { deps } = run
  const absent = run.current.progress.absent ?? []
  const options: WriteOptions = {
    ...{ fieldManager, serverSideApply, forceConflicts: serverSideApply, upgradeManagers: true, force: false },
  }
  if (serverSideApply && absent.length === objects.length)
    return createObjects(deps, objects, { ...options, forceConflicts: false })
  const live = await readLive(deps, objects, describeRead)
  if (absent.length === objects.length) {
    // An earlier pass may have created some of them.
    const missing = objects.filter(object => !live.has(refKey(refOf(object))))
    return new Map([...live, ...(await createObjects(deps, missing, options))])
  }
  const originals = objects.filter(object => !absent.includes(refKey(refOf(object))))
  return updateObjects(deps, originals, objects, live, options)
}
