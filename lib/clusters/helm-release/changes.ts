import { isDeepStrictEqual } from 'node:util'
import { threeWayMerge } from '../../engines/helm/release/three-way-merge.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { isDefinition } from '../apply/definition.ts'
import { contentOf } from '../apply/drift.ts'
import { managersPatch } from '../apply/field-managers.ts'
import { previewTakeover } from '../apply/preview-takeover.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps } from './action.ts'
import { isKeptByUpgrade } from './kept.ts'
import { eachOf, objectsOf } from './objects.ts'
import { withOwnership } from './ownership.ts'
import type { Preview } from './preview.ts'
import { replacement } from './write-objects.ts'

/** What an action would do to an object. `applied` is the object after it. */
export type PreviewedChange =
  | { readonly type: 'created' | 'deleted' | 'kept'; readonly object: KubernetesObject }
  | {
      readonly type: 'changed'
      readonly object: KubernetesObject
      readonly live: KubernetesObject
      readonly applied: KubernetesObject
    }
  | { readonly type: 'refused'; readonly object: KubernetesObject; readonly message: string }

/** Compares a preview with the cluster by dry runs, object by object: reports all objects even if some fail. Throws ClusterError. */
export const changesOf = async (deps: ActionDeps, preview: Preview): Promise<readonly PreviewedChange[]> => {
  const { current, release, definitions } = preview
  const reading = { ...deps, cluster: preview.cluster }
  const namespace = release.namespace ?? preview.request.namespace
  const id = { name: release.name, namespace }
  const targets = (await objectsOf(reading, release.manifest ?? '', namespace)).map(object => withOwnership(object, id))
  const originals = current ? await objectsOf(reading, current.manifest ?? '', namespace) : []
  const missing = await missingNamespace(deps, preview, namespace)
  const before = new Map(originals.map(object => [refKey(refOf(object)), object]))
  const wanted = [...definitions, ...targets]
  const written = await settled(wanted, object =>
    changeOf(reading, preview, object, before.get(refKey(refOf(object))), missing?.metadata.name),
  )
  const names = new Set(targets.map(object => refKey(refOf(object))))
  const left = originals.filter(object => !names.has(refKey(refOf(object))))
  return [
    ...(missing ? [{ type: 'created', object: missing } as const] : []),
    ...written,
    ...(await settled(left, object => leavingOf(reading, object))),
  ]
}

/** Omits unchanged objects. Reports the cluster's rejections with their objects, but throws if it can't be reached. */
const settled = async (
  objects: readonly KubernetesObject[],
  work: (object: KubernetesObject) => Promise<PreviewedChange | undefined>,
): Promise<readonly PreviewedChange[]> => {
  const results = await eachOf(objects, work)
  return results.flatMap((result, index): readonly PreviewedChange[] => {
    if (result.status === 'fulfilled') return result.value ? [result.value] : []
    const { reason } = result
    if (!(reason instanceof ClusterError) || reason.code === 'unreachable') throw reason
    return [{ type: 'refused', object: objects[index]!, message: reason.message }]
  })
}

/** The namespace that an installation would create. */
const missingNamespace = async (
  { cluster, signal }: ActionDeps,
  { request }: Preview,
  name: string,
): Promise<KubernetesObject | undefined> => {
  if (!('createNamespace' in request) || !request.createNamespace) return undefined
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { name } } }
  const live = await cluster.get('v1', refOf(object), { metadataOnly: true, signal })
  return live ? undefined : object
}

const changeOf = async (
  deps: ActionDeps,
  { request, current, release }: Preview,
  object: KubernetesObject,
  original: KubernetesObject | undefined,
  missingNamespace: string | undefined,
): Promise<PreviewedChange | undefined> => {
  const live = await liveOf(deps, object)
  const { cluster, signal } = deps
  const { fieldManager } = request
  const serverSide = release.apply_method === 'ssa'
  const dryRun = { fieldManager, dryRun: true, ...(serverSide && { fieldValidation: 'Strict' as const }), signal }
  if (live === 'unserved') return { type: 'created', object }
  if (!live) {
    const isAccepted = missingNamespace !== undefined && object.metadata.namespace === missingNamespace
    if (!isAccepted)
      await (serverSide ? cluster.apply(object, { ...dryRun, force: true }) : cluster.create(object, dryRun))
    return { type: 'created', object }
  }
  if (isDefinition(object) && 'crds' in request && request.crds === 'Create') return undefined
  if (!serverSide) {
    const force = 'force' in request && request.force
    const value = force ? replacement(live, object) : threeWayMerge(original ?? object, object, live)
    if (isDeepStrictEqual(value, live)) return undefined
    const operations = [{ op: 'replace', path: '', value }]
    const applied = await cluster.patch(object.apiVersion, refOf(object), { type: 'json', operations }, dryRun)
    return difference(object, live, applied)
  }
  const applied = await cluster.apply(object, { ...dryRun, force: true })
  const isFirst = current?.apply_method !== 'ssa'
  const takeover = isFirst && managersPatch(live, fieldManager, [{ prefix: fieldManager, operation: 'Update' }])
  if (!takeover) return difference(object, live, applied)
  const patch = { type: 'json', operations: takeover } as const
  const after = await previewTakeover(cluster, { desired: object, applied, takeover: patch, fieldManager, signal })
  return { type: 'changed', object, live, applied: after }
}

const difference = (
  object: KubernetesObject,
  live: KubernetesObject,
  applied: KubernetesObject,
): PreviewedChange | undefined =>
  isDeepStrictEqual(comparable(live), comparable(applied)) ? undefined : { type: 'changed', object, live, applied }

const comparable = (object: KubernetesObject): object => {
  const { labels = {}, annotations = {} } = object.metadata
  return { labels, annotations, content: contentOf(object) }
}

const liveOf = async (
  { cluster, signal }: ActionDeps,
  object: KubernetesObject,
): Promise<KubernetesObject | 'unserved' | undefined> => {
  try {
    return await cluster.get(object.apiVersion, refOf(object), { signal })
  } catch (error) {
    if (error instanceof ClusterError && error.code === 'noMatch') return 'unserved'
    throw error
  }
}

const leavingOf = async (deps: ActionDeps, object: KubernetesObject): Promise<PreviewedChange | undefined> => {
  const live = await liveOf(deps, object)
  if (!live || live === 'unserved') return undefined
  return { type: isKeptByUpgrade(live) ? 'kept' : 'deleted', object }
}
