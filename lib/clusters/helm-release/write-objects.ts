import { threeWayMerge } from '../../engines/helm/release/three-way-merge.ts'
import { groupOf, type KubernetesObject, refKey, refOf, versionOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { managersPatch } from '../apply/field-managers.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps, ActionRequest } from './action.ts'
import { isKeptByUpgrade } from './kept.ts'
import { batches, eachOf, readLive } from './objects.ts'
import { ActionFailed, withContext } from './run.ts'

/** How the objects of a release are written. */
export interface WriteOptions extends Pick<ActionRequest, 'fieldManager'> {
  readonly serverSideApply: boolean
  /** Whether to take over fields that others apply; hooks do not. */
  readonly forceConflicts: boolean
  /** Takes over the fields that Helm has set client-side, so that server-side apply removes those that leave the manifest. */
  readonly upgradeManagers: boolean
  /** Replaces objects instead of patching them; not with server-side apply. */
  readonly force: boolean
}

/** The objects as returned by their writes, by refKey. */
export type WrittenObjects = ReadonlyMap<string, KubernetesObject>

/** Creates objects kind by kind. Throws ActionFailed with the failures of a kind. */
export const createObjects = async (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  options: WriteOptions,
): Promise<WrittenObjects> => {
  const failures: unknown[] = []
  const written = new Map<string, KubernetesObject>()
  for (const batch of batches(objects)) {
    const results = await eachOf(batch, object => createObject(deps, object, options))
    for (const result of results)
      if (result.status === 'rejected') failures.push(result.reason)
      else written.set(refKey(refOf(result.value)), result.value)
  }
  throwAll(failures, '\n')
  return written
}

/**
 * Makes the cluster's objects match a release: creates missing ones, changes existing ones, and deletes those that only `originals` have, unless
 * their policy is to be kept. Throws ActionFailed with Helm's message. Server-side apply only needs to know the live objects for `upgradeManagers`;
 * without `live`, they are read after a failure.
 */
export const updateObjects = async (
  deps: ActionDeps,
  originals: readonly KubernetesObject[],
  targets: readonly KubernetesObject[],
  live: ReadonlyMap<string, KubernetesObject> | undefined,
  options: WriteOptions,
): Promise<WrittenObjects> => {
  const written = new Map<string, KubernetesObject>()
  const before = new Map(originals.map(object => [refKey(refOf(object)), object]))
  const failures: unknown[] = []
  // One after the other, like Helm: an object that can't be created ends the update, failed changes are reported together at the end.
  for (const target of targets) {
    const key = refKey(refOf(target))
    const present = live?.get(key)
    try {
      const now = present
        ? await updateObject(deps, before.get(key) ?? target, target, present, options)
        : await createObject(deps, target, options)
      written.set(key, now)
    } catch (error) {
      const wasPresent = live ? present !== undefined : (await readLive(deps, [target], describeRead)).size > 0
      if (!wasPresent) throw withContext('failed to create resource', error)
      failures.push(error)
    }
  }
  throwAll(failures, ' && ')
  const kept = new Set(targets.map(target => refKey(refOf(target))))
  const left = originals.filter(object => !kept.has(refKey(refOf(object))))
  throwAll(await deleteLeft(deps, left), ' && ')
  return written
}

/** Helm's message for objects that it can't read before changing them. */
export const describeRead = (): string => 'could not get information about the resource'

/** Deletes objects that have left the manifest. */
const deleteLeft = async (deps: ActionDeps, left: readonly KubernetesObject[]): Promise<readonly unknown[]> => {
  const { cluster, signal } = deps
  const results = await eachOf(left, async object => {
    let live: KubernetesObject | undefined
    try {
      live = await cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal })
    } catch (error) {
      // Like Helm: objects that can't be read are left alone.
      if (error instanceof ClusterError && error.code !== 'unreachable') return
      throw error
    }
    if (!live || isKeptByUpgrade(live)) return
    try {
      await cluster.delete(object.apiVersion, refOf(object), { propagation: 'Background', signal })
    } catch (error) {
      const { name, namespace = '' } = object.metadata
      throw withContext(`failed to delete resource namespace=${namespace}, name=${name}, kind=${object.kind}`, error)
    }
  })
  return results.filter(result => result.status === 'rejected').map(result => result.reason)
}

/**
 * Writes an object that is expected to be missing, and returns it as the server has it. Client-side, an object that
 * exists since is an error (`ClusterError`); server-side, it is applied over.
 */
export const createObject = async (
  deps: ActionDeps,
  object: KubernetesObject,
  options: WriteOptions,
): Promise<KubernetesObject> => {
  const { cluster, signal } = deps
  const { fieldManager } = options
  if (options.serverSideApply) return applyObject(deps, object, options)
  return cluster.create(object, { fieldManager, signal })
}

const updateObject = async (
  deps: ActionDeps,
  original: KubernetesObject,
  target: KubernetesObject,
  live: KubernetesObject,
  options: WriteOptions,
): Promise<KubernetesObject> => {
  const { cluster, signal } = deps
  const { fieldManager } = options
  if (options.serverSideApply) {
    const takeover =
      options.upgradeManagers && managersPatch(live, fieldManager, [{ prefix: fieldManager, operation: 'Update' }])
    if (takeover)
      await cluster.patch(
        target.apiVersion,
        refOf(target),
        { type: 'json', operations: takeover },
        { fieldManager, signal },
      )
    return applyObject(deps, target, options)
  }
  const ref = refOf(target)
  const value = options.force ? replacement(live, target) : threeWayMerge(original, target, live)
  if (isSameJson(value, live)) return live
  const operations = [{ op: 'replace', path: '', value }]
  try {
    // Helm has the server validate replacements, but not merges.
    const fieldValidation = options.force ? 'Strict' : undefined
    const patch = { type: 'json', operations } as const
    return await cluster.patch(target.apiVersion, ref, patch, { fieldManager, fieldValidation, signal })
  } catch (error) {
    const what = options.force ? 'failed to replace object' : `cannot patch "${ref.name}" with kind ${ref.kind}`
    throw withContext(what, error)
  }
}

/** The object from the manifest, with the metadata that identifies it as the same object. */
export const replacement = (live: KubernetesObject, target: KubernetesObject): object => {
  const { uid, resourceVersion, creationTimestamp } = live.metadata
  const metadata = { ...target.metadata, uid, resourceVersion, creationTimestamp }
  return { ...target, metadata, ...('status' in live && { status: live.status }) }
}

const applyObject = async (
  { cluster, signal }: ActionDeps,
  object: KubernetesObject,
  { fieldManager, forceConflicts }: WriteOptions,
): Promise<KubernetesObject> => {
  try {
    return await cluster.apply(object, { fieldManager, fieldValidation: 'Strict', force: forceConflicts, signal })
  } catch (error) {
    const isConflict = error instanceof ClusterError && error.code === 'conflict'
    const what = isConflict ? 'conflict occurred while applying object' : 'server-side apply failed for object'
    throw withContext(`${what} ${describeApplied(object)}`, error)
  }
}

/** `apps/web apps/v1, Kind=Deployment`: Helm's name for an object that it applies. */
const describeApplied = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${metadata.namespace ?? ''}/${metadata.name} ${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind}`

/** Throws errors that need a retry rather than those to report. */
const throwAll = (failures: readonly unknown[], separator: string): void => {
  if (failures.length === 0) return
  const reported = failures.map(failure => withContext('', failure))
  const other = reported.find(failure => !(failure instanceof ActionFailed))
  if (other) throw other
  throw new ActionFailed(failures.map(failure => (failure as Error).message).join(separator))
}
