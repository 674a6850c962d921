import type { HookEvent } from '../../engines/helm/hook.ts'
import type { HookPhase, Release, ReleaseHook } from '../../engines/helm/release/release.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ActionRequest } from './action.ts'
import { hookOutput } from './hook-output.ts'
import { objectsOf } from './objects.ts'
import { hasBegun } from './progress.ts'
import { ActionFailed, type ActionRun, NotYet, timeOf, withContext } from './run.ts'
import { waitForHook, waitUntilGone } from './wait.ts'
import { createObject } from './write-objects.ts'

type HookRequest = Pick<ActionRequest, 'namespace' | 'timeoutMs' | 'fieldManager' | 'hooks'>

const BEFORE_CREATION = 'before-hook-creation'

/** A hook was created and has failed: its deletion policy applies, which as in Helm it does not if a hook could not be created. */
class HookFailed extends ActionFailed {}

/**
 * Runs the hooks of an event one at a time, continuing where an earlier pass stopped: a hook that has begun in this step is not created again.
 * Throws ActionFailed if a hook fails; NotYet while one is running.
 */
export const runHooks = async (
  run: ActionRun,
  event: HookEvent,
  request: HookRequest,
  serverSideApply: boolean,
  isSelected: (hook: ReleaseHook) => boolean = () => true,
): Promise<void> => {
  if (!request.hooks) return
  const indices = inOrder(run.current.release.hooks ?? [], event, isSelected)
  for (const [position, index] of indices.entries()) {
    try {
      await runHook(run, index, event, request, serverSideApply)
    } catch (error) {
      if (error instanceof HookFailed)
        await cleanUpFailure(run, index, indices.slice(0, position), request, error.message)
      throw error
    }
  }
  for (const index of indices.toReversed()) {
    await reportOutput(run, index, event, request)
    await deleteByPolicy(run, index, 'hook-succeeded', request)
  }
}

/** Indexes into the release's hooks, ordered by weight, then name. */
const inOrder = (
  hooks: readonly ReleaseHook[],
  event: HookEvent,
  isSelected: (hook: ReleaseHook) => boolean,
): readonly number[] =>
  hooks
    .map((hook, index) => ({ hook, index, weight: hook.weight ?? 0 }))
    .filter(({ hook }) => hook.events?.includes(event) && isSelected(hook))
    .sort((a, b) => a.weight - b.weight || (a.hook.name < b.hook.name ? -1 : a.hook.name > b.hook.name ? 1 : 0))
    .map(({ index }) => index)

const runHook = async (
  run: ActionRun,
  index: number,
  event: HookEvent,
  request: HookRequest,
  serverSideApply: boolean,
): Promise<void> => {
  const { deps } = run
  const hook = () => run.current.release.hooks![index]!
  const isResumed = hasBegun(hook(), run.current.progress)
  if (!isResumed) {
    if (!hook().delete_policies?.length) setHook(run, index, { delete_policies: [BEFORE_CREATION] })
    await deleteByPolicy(run, index, BEFORE_CREATION, request)
    await run.record(setHook(run, index, { last_run: { started_at: timeOf(deps.clock.now()), phase: 'Running' } }))
  }
  const { last_run, path, manifest } = hook()
  if (last_run.phase === 'Succeeded') return
  if (last_run.phase === 'Failed') throw new HookFailed(run.current.progress.hookFailure ?? `hook ${path} failed`)

  let objects: readonly KubernetesObject[]
  try {
    objects = await objectsOf(deps, manifest, request.namespace)
  } catch (error) {
    throw withContext(`unable to build kubernetes object for ${event} hook ${path}`, error)
  }
  try {
    objects = await created(run, objects, isResumed, request, serverSideApply)
  } catch (error) {
    const reported = withContext(`warning: Hook ${event} ${path} failed`, error)
    if (reported instanceof ActionFailed) end(run, index, 'Failed')
    throw reported
  }
  try {
    await waitForHook(deps, objects, { since: Date.parse(last_run.started_at!), timeoutMs: request.timeoutMs })
  } catch (error) {
    if (error instanceof NotYet) await rememberCreated(run, objects)
    if (!(withContext('', error) instanceof ActionFailed)) throw error
    end(run, index, 'Failed')
    throw new HookFailed((error as Error).message, error)
  }
  end(run, index, 'Succeeded')
  await run.record(run.current.release)
}

/**
 * Creates a hook's objects; resolves with those to wait for. A resumed pass only creates objects that are missing and were never seen: a Job that
 * was seen and is gone has finished and removed itself.
 */
const created = async (
  run: ActionRun,
  objects: readonly KubernetesObject[],
  isResumed: boolean,
  { fieldManager }: HookRequest,
  serverSideApply: boolean,
): Promise<readonly KubernetesObject[]> => {
  const { deps } = run
  const seen = run.current.progress.created ?? []
  const options = { fieldManager, serverSideApply, forceConflicts: false, upgradeManagers: false, force: false }
  const there: KubernetesObject[] = []
  for (const object of objects) {
    const ref = refOf(object)
    const live = isResumed
      ? await deps.cluster.get(object.apiVersion, ref, { metadataOnly: true, signal: deps.signal })
      : undefined
    if (isResumed && !live && seen.includes(refKey(ref))) continue
    if (!live) await createObject(deps, object, options)
    there.push(object)
  }
  return there
}

const rememberCreated = async (run: ActionRun, objects: readonly KubernetesObject[]): Promise<void> => {
  const keys = objects.map(object => refKey(refOf(object)))
  const created = run.current.progress.created ?? []
  if (keys.every(key => created.includes(key))) return
  await run.record(run.current.release, { created: [...new Set([...created, ...keys])] })
}

const cleanUpFailure = async (
  run: ActionRun,
  failed: number,
  succeeded: readonly number[],
  request: HookRequest,
  hookFailure: string,
): Promise<void> => {
  const output = run.current.progress.hookOutput ?? (await outputOf(run, failed, 'hook-failed', request))
  run.logs.push(...output)
  await run.record(run.current.release, { hookFailure, ...(output.length > 0 && { hookOutput: output }) })
  try {
    await deleteByPolicy(run, failed, 'hook-failed', request)
  } catch (error) {
    if (error instanceof NotYet) throw error
    run.logs.push(`error deleting the hook resource on hook failure: ${errorMessage(error)}`)
  }
  for (const index of succeeded) await deleteByPolicy(run, index, 'hook-succeeded', request)
}

const reportOutput = async (run: ActionRun, index: number, event: HookEvent, request: HookRequest): Promise<void> => {
  const { hookSucceeded } = run.deps
  const output = hookSucceeded ? await outputOf(run, index, 'hook-succeeded', request) : []
  if (output.length > 0) hookSucceeded!(event, run.current.release.hooks![index]!.path, output)
}

const outputOf = async (
  { deps, current }: ActionRun,
  index: number,
  policy: 'hook-succeeded' | 'hook-failed',
  { namespace }: HookRequest,
): Promise<readonly string[]> => {
  const hook = current.release.hooks![index]!
  if (!hook.output_log_policies?.includes(policy)) return []
  return hookOutput(deps, hook, namespace)
}

/** Deletes a hook's objects, if it has the policy, and waits until they are gone. Never deletes CRDs. */
const deleteByPolicy = async (run: ActionRun, index: number, policy: string, request: HookRequest): Promise<void> => {
  const { kind, path, manifest, delete_policies } = run.current.release.hooks![index]!
  if (kind === 'CustomResourceDefinition' || !delete_policies?.includes(policy)) return
  const { deps } = run
  const { cluster, signal } = deps
  let objects: readonly KubernetesObject[]
  try {
    objects = await objectsOf(deps, manifest, request.namespace)
  } catch (error) {
    throw withContext(`unable to build kubernetes object for deleting hook ${path}`, error)
  }
  for (const object of objects)
    await cluster.delete(object.apiVersion, refOf(object), { propagation: 'Background', signal })
  await waitUntilGone(deps, objects, { since: run.current.progress.stepStartedAt, timeoutMs: request.timeoutMs })
}

const setHook = (run: ActionRun, index: number, fields: Partial<ReleaseHook>): Release => {
  const { release } = run.current
  const changed = { ...release, hooks: release.hooks!.with(index, { ...release.hooks![index]!, ...fields }) }
  run.change(changed)
  return changed
}

const end = (run: ActionRun, index: number, phase: HookPhase): void => {
  const { last_run } = run.current.release.hooks![index]!
  setHook(run, index, { last_run: { ...last_run, completed_at: timeOf(run.deps.clock.now()), phase } })
}
