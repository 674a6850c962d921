import { sortByKind } from '../../engines/helm/kind-order.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { withStatus } from '../../engines/helm/release/release.ts'
import { uninstallOrder } from '../../engines/helm/release/uninstall-order.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps, ActionOutcome, UninstallRequest } from './action.ts'
import { runHooks } from './hooks.ts'
import { isKeptByUninstall } from './kept.ts'
import { batches, eachOf, objectsOf } from './objects.ts'
import { describeResource, ownershipProblem } from './ownership.ts'
import { initialProgress } from './progress.ts'
import { requireDeletable } from './require-deletable.ts'
import { ActionFailed, type ActionRun, NotYet, runAction, timeOf, withContext } from './run.ts'
import { isTransient, type StoredRelease } from './storage.ts'
import { waitUntilGone } from './wait.ts'

/** Helm's message for a missing release: there is nothing to uninstall. */
export const NOT_FOUND = 'release: not found'

const PROPAGATION = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const

/** Uninstalls a release, or continues: runs hooks, deletes its objects, then deletes its versions or updates their status. Throws ReleaseError. */
export const uninstall = (deps: ActionDeps, request: UninstallRequest): Promise<ActionOutcome> =>
  runAction(deps, async run => {
    const history = await deps.storage.history(request.name)
    const [last] = history
    if (!last) throw new ActionFailed(`uninstall: Release not loaded: ${request.name}: ${NOT_FOUND}`)
    if (last.release.info.status === 'uninstalled') return alreadyUninstalled(run, history, request)
    if (last.progress?.action === 'uninstall') run.begin(last)
    else await begin(run, last, request)
    const problems = await deleteRelease(run, request)
    const uninstalled = withStatus(run.current.release, 'uninstalled', 'Uninstallation complete')
    const failure =
      problems.length > 0
        ? `uninstallation completed with ${problems.length} error(s): ${problems.join('; ')}`
        : undefined
    if (request.keepHistory) {
      await run.end(uninstalled, failure)
      for (const { release } of history)
        if (release.info.status === 'deployed' && release.version !== uninstalled.version)
          await run.settle(withStatus(release, 'superseded'))
    } else await purge(deps, history)
    if (failure !== undefined) throw new ActionFailed(failure)
    return uninstalled
  })

const alreadyUninstalled = async (
  { deps }: ActionRun,
  history: readonly StoredRelease[],
  { name, keepHistory }: UninstallRequest,
): Promise<Release> => {
  if (keepHistory) throw new ActionFailed(`the release named "${name}" is already deleted`)
  await purge(deps, history)
  return history[0]!.release
}

/** Deletes the newest version last: as long as it exists, the next pass knows that the release is being uninstalled. */
const purge = async ({ storage }: ActionDeps, history: readonly StoredRelease[]): Promise<void> => {
  for (const { release } of history.toReversed()) await storage.remove(release)
}

const begin = async (run: ActionRun, { release }: StoredRelease, request: UninstallRequest): Promise<void> => {
  const { clock, storage, cluster } = run.deps
  try {
    const objects =
      cluster.requireDeletable &&
      (await objectsOf(run.deps, release.manifest ?? '', release.namespace ?? request.namespace))
    await requireDeletable(run.deps, objects ?? [])
  } catch (error) {
    throw withContext(`failed to delete release: ${release.name}`, error)
  }
  const now = clock.now()
  const deleting = withStatus(release, 'uninstalling', 'Deletion in progress (or silently failed)')
  const begun = { ...deleting, info: { ...deleting.info, deleted: timeOf(now) } }
  run.begin(await storage.update(begun, initialProgress('uninstall', request, now)))
}

/** Runs hooks and deletes objects. Resolves with errors that occurred after the objects were deleted: they do not stop the uninstallation. */
const deleteRelease = async (run: ActionRun, request: UninstallRequest): Promise<readonly string[]> => {
  const { deps } = run
  const { namespace = request.namespace } = run.current.release
  const at = () => run.current.progress.step
  if (at() === 'before') {
    try {
      await runHooks(run, 'pre-delete', request, true)
    } catch (error) {
      // The next attempt runs them again, as in Helm.
      if (withContext('', error) instanceof ActionFailed) await run.settle(run.current.release)
      throw error
    }
    run.enter('objects')
  }
  const objects = await deletable(run, namespace)
  if (at() === 'objects') {
    await deleteObjects(run, objects, request)
    run.enter('wait')
  }
  const problems: string[] = []
  const survivors = request.propagation === 'orphan' ? [] : objects
  if (at() === 'wait') {
    try {
      const deadline = { since: run.current.progress.stepStartedAt, timeoutMs: request.timeoutMs }
      if (request.wait !== 'none') await waitUntilGone(deps, await ownedObjects(run, survivors, namespace), deadline)
    } catch (error) {
      problems.push(problemOf(error))
    }
    run.enter('after')
  }
  try {
    await runHooks(run, 'post-delete', request, true)
  } catch (error) {
    problems.push(problemOf(error))
  }
  return problems
}

const problemOf = (error: unknown): string => {
  if (error instanceof NotYet || !(withContext('', error) instanceof ActionFailed)) throw error
  return errorMessage(error)
}

/** The manifest's objects in the order of their deletion, except those to keep. */
const deletable = async (run: ActionRun, namespace: string): Promise<readonly KubernetesObject[]> => {
  const { deps, logs } = run
  const { name, manifest = '' } = run.current.release
  let objects: readonly KubernetesObject[]
  try {
    objects = await objectsOf(deps, manifest, namespace)
  } catch (error) {
    if (!(withContext('', error) instanceof ActionFailed)) throw error
    logs.push(`unable to build kubernetes objects for delete: ${errorMessage(error)}`)
    throw new ActionFailed(`failed to delete release: ${name}`, error)
  }
  return sortByKind(
    objects.filter(object => !isKeptByUninstall(object)),
    uninstallOrder,
  )
}

/** The live objects that the release owns; others are skipped and named in the log. */
const ownedObjects = async (
  { deps, logs, current }: ActionRun,
  objects: readonly KubernetesObject[],
  namespace: string,
): Promise<readonly KubernetesObject[]> => {
  const { cluster, signal } = deps
  const results = await eachOf(objects, async object => {
    try {
      const live = await cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal })
      const problem = live && ownershipProblem(live, { name: current.release.name, namespace })
      if (problem) logs.push(`skipping delete of ${describeResource(object)}, not owned by this release: ${problem}`)
      return live && !problem
    } catch (error) {
      if (isTransient(error) || !(error instanceof ClusterError)) throw error
      logs.push(`skipping delete of ${describeResource(object)}, ownership could not be verified: ${error.message}`)
      return false
    }
  })
  return objects.filter((_, index) => {
    const result = results[index]!
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

const deleteObjects = async (
  run: ActionRun,
  objects: readonly KubernetesObject[],
  { propagation, namespace }: UninstallRequest,
): Promise<void> => {
  const { cluster, signal } = run.deps
  const { release } = run.current
  const own = await ownedObjects(run, objects, release.namespace ?? namespace)
  const failures: unknown[] = []
  for (const batch of batches(own)) {
    const results = await eachOf(batch, object =>
      cluster.delete(object.apiVersion, refOf(object), { propagation: PROPAGATION[propagation], signal }),
    )
    for (const result of results) if (result.status === 'rejected') failures.push(result.reason)
  }
  const [first] = failures
  if (first === undefined) return
  if (!(withContext('', first) instanceof ActionFailed)) throw first
  run.logs.push(...failures.map(errorMessage))
  throw new ActionFailed(`failed to delete release: ${release.name}`, first)
}
