import type { Release } from '../../engines/helm/release/release.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import type { ActionRequest } from './action.ts'
import { eachOf, objectsOf, readLive } from './objects.ts'
import { type ActionRun, withContext } from './run.ts'
import { waitForObjects } from './wait.ts'
import { describeRead, updateObjects, type WrittenObjects } from './write-objects.ts'

interface ReplaceOptions extends ActionRequest {
  readonly serverSideApply: boolean
  readonly upgradeManagers: boolean
  readonly force: boolean
}

/** The steps `objects` and `wait` of an upgrade or rollback: replaces the objects of one version by those of another. */
export const replaceObjects = async (
  run: ActionRun,
  original: Release | undefined,
  owned: (object: KubernetesObject) => KubernetesObject,
  options: ReplaceOptions,
): Promise<void> => {
  const { deps } = run
  const { release } = run.current
  const { namespace = options.namespace } = release
  const { serverSideApply, force } = options
  const targets = (await objectsOf(deps, release.manifest ?? '', namespace)).map(owned)
  let written: WrittenObjects | undefined
  if (run.current.progress.step === 'objects') {
    const originals = original ? await objectsOf(deps, original.manifest ?? '', namespace) : []
    const needsLive = !serverSideApply || options.upgradeManagers
    const live = needsLive ? await readLive(deps, targets, describeRead) : undefined
    written = await updateObjects(deps, originals, targets, live, {
      ...options,
      forceConflicts: serverSideApply,
      force: force && !serverSideApply,
    })
    run.enter('wait')
  }
  if (run.current.progress.step === 'wait') {
    const deadline = { since: run.current.progress.stepStartedAt, timeoutMs: options.timeoutMs }
    await waitForObjects(deps, targets, options, deadline, written)
    run.enter('after')
  }
}

/** `cleanupOnFail`: deletes the objects that the action created, once it has begun to write objects. */
export const cleanUpCreated = async (
  run: ActionRun,
  { cleanupOnFail, namespace: own }: ActionRequest & { readonly cleanupOnFail: boolean },
  failure: string,
  action: 'upgrade' | 'rollback',
): Promise<void> => {
  const { deps } = run
  const { release, progress } = run.current
  if (!cleanupOnFail || !progress.absent?.length || progress.step === 'before') return
  // If the process ends during the cleanup, the failed work is not retried.
  if (progress.failure === undefined) await run.record(release, { failure })
  const objects = await objectsOf(deps, release.manifest ?? '', release.namespace ?? own)
  const created = objects.filter(object => progress.absent!.includes(refKey(refOf(object))))
  const results = await eachOf(created, object =>
    deps.cluster.delete(object.apiVersion, refOf(object), { propagation: 'Background', signal: deps.signal }),
  )
  for (const result of results)
    if (result.status === 'rejected') {
      const original = action === 'upgrade' ? `original upgrade error: ${failure}` : 'original rollback error'
      throw withContext(
        `an error occurred while cleaning up resources. ${original}: unable to cleanup resources`,
        result.reason,
      )
    }
}
