import { threeWayMerge } from '../../engines/helm/release/three-way-merge.ts'
import { groupOf, type KubernetesObject, refKey, refOf, versionOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { managersPatch } from '../apply/field-managers.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps, ActionRequest } from './action.ts'
import { batches, eachOf, readLive } from './objects.ts'
import { ActionFailed, saying } from './run.ts'

/** How the objects of a release get to the cluster. */
export interface WriteOptions extends Pick<ActionRequest, 'fieldManager'> {
  readonly serverSideApply: boolean
  /** Whether fields that others apply are taken over; hooks don't. */
  readonly forceConflicts: boolean
  /** What Helm has set client-side becomes its own by server-side apply, so that fields which leave the manifest go. */
  readonly upgradeManagers: boolean
  /** Replaces objects, in place of patching them; not with server-side apply. */
  readonly force: boolean
}

/** What the cluster has of objects since they were written, by refKey. */
export type Written = ReadonlyMap<string, KubernetesObject>

/** Creates objects kind by kind. Throws ActionFailed with the failures of a kind. */
export const createObjects = async (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  options: WriteOptions,
): Promise<Written> => {
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
 * Makes the cluster's objects what a release has: creates what is missing, changes what is there, deletes what only `originals` have,
 * unless its policy is to be kept. Throws ActionFailed in Helm's words. Server-side apply needs to know what was there only where
 * `upgradeManagers` is asked for; without `live` the cluster is asked once something has failed.
 */
export const updateObjects = async (
  deps: ActionDeps,
  originals: readonly KubernetesObject[],
  targets: readonly KubernetesObject[],
  live: ReadonlyMap<string, KubernetesObject> | undefined,
  options: WriteOptions,
): Promise<Written> => {
  const written = new Map<string, KubernetesObject>()
  const before = new Map(originals.map(object => [refKey(refOf(object)), object]))
  const failures: unknown[] = []
  // As Helm, one after the other: what can't be created ends it there, what can't be changed is told in the end with the rest.
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
      if (!wasPresent) throw saying('failed to create resource', error)
      failures.push(error)
    }
  }
  throwAll(failures, ' && ')
  const kept = new Set(targets.map(target => refKey(refOf(target))))
  const left = originals.filter(object => !kept.has(refKey(refOf(object))))
  throwAll(await deleteLeft(deps, left), ' && ')
  return written
}

/** What Helm says of objects that it can't read before it changes them. */
export const describeRead = (): string => 'could not get information about the resource'

/** Objects that have left the manifest. */
const deleteLeft = async (deps: ActionDeps, left: readonly KubernetesObject[]): Promise<readonly unknown[]> => {
  const { cluster, signal } = deps
  const results = await eachOf(left, async object => {
    let live: KubernetesObject | undefined
    try {
      live = await cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal })
    } catch (error) {
      // As Helm: what can't be read is left alone.
      if (error instanceof ClusterError && error.code !== 'unreachable') return
      throw error
    }
    if (!live || live.metadata.annotations?.['helm.sh/resource-policy'] === 'keep') return
    try {
      await cluster.delete(object.apiVersion, refOf(object), { propagation: 'Background', signal })
    } catch (error) {
      const { name, namespace = '' } = object.metadata
      throw saying(`failed to delete resource namespace=${namespace}, name=${name}, kind=${object.kind}`, error)
    }
  })
  return results.filter(result => result.status === 'rejected').map(result => result.reason)
}

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
    // Helm has what it replaces validated, not what it merges.
    const fieldValidation = options.force ? 'Strict' : undefined
    const patch = { type: 'json', operations } as const
    return await cluster.patch(target.apiVersion, ref, patch, { fieldManager, fieldValidation, signal })
  } catch (error) {
    const what = options.force ? 'failed to replace object' : `cannot patch "${ref.name}" with kind ${ref.kind}`
    throw saying(what, error)
  }
}

/** The object as the manifest has it, with what Kubernetes needs to take it for the same. */
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
    throw saying(`${what} ${describeApplied(object)}`, error)
  }
}

/** `apps/web apps/v1, Kind=Deployment`, as Helm names what it applies. */
const describeApplied = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${metadata.namespace ?? ''}/${metadata.name} ${groupOf(apiVersion)}/${versionOf(apiVersion)}, Kind=${kind}`

/** Throws what has to be tried again before what is to be told. */
const throwAll = (failures: readonly unknown[], separator: string): void => {
  if (failures.length === 0) return
  const told = failures.map(failure => saying('', failure))
  const other = told.find(failure => !(failure instanceof ActionFailed))
  if (other) throw other
  throw new ActionFailed(failures.map(failure => (failure as Error).message).join(separator))
}
