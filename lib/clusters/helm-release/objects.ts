import { manifestObjects } from '../../engines/helm/release/manifest-text.ts'
import type { JsonObject } from '../../engines/yaml/json-value.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { limiter } from '../client/limiter.ts'
import type { ActionDeps } from './action.ts'
import { ActionFailed } from './run.ts'

/** Maximum number of concurrent requests for one release's objects. */
const CONCURRENCY = 16

/**
 * The objects of a manifest in order, with the release's namespace if they need one and have none. Throws ActionFailed with all documents that are
 * not objects or have a kind that the cluster does not serve.
 */
export const objectsOf = async (
  { cluster, signal, readManifest = manifestObjects }: Pick<ActionDeps, 'cluster' | 'signal' | 'readManifest'>,
  manifest: string,
  namespace: string,
): Promise<readonly KubernetesObject[]> => {
  let documents: readonly JsonObject[]
  try {
    documents = readManifest(manifest)
  } catch (error) {
    throw new ActionFailed(errorMessage(error), error)
  }
  const placed = await Promise.all(documents.map(document => place(cluster, document, namespace, signal)))
  const problems = placed.filter(object => typeof object === 'string')
  if (problems.length === 1) throw new ActionFailed(problems[0]!)
  if (problems.length > 1) throw new ActionFailed(`[${problems.join(', ')}]`)
  return placed as readonly KubernetesObject[]
}

/** The object, or the problem with it. */
const place = async (
  cluster: ClusterClient,
  document: JsonObject,
  namespace: string,
  signal: AbortSignal | undefined,
): Promise<KubernetesObject | string> => {
  const { apiVersion, kind, metadata } = document as unknown as KubernetesObject
  if (typeof kind !== 'string' || kind === '') return "Object 'Kind' is missing"
  if (typeof apiVersion !== 'string') return "Object 'apiVersion' is missing"
  const object = { ...document, apiVersion, kind, metadata: { ...metadata } } as KubernetesObject
  try {
    const { namespaced } = await cluster.resourceFor(apiVersion, kind, { signal })
    if (namespaced) return withNamespace(object, metadata?.namespace || namespace)
    const { namespace: none, ...rest } = object.metadata
    return { ...object, metadata: rest }
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'noMatch') throw error
    const { name = '', namespace: own = '' } = metadata ?? {}
    return `resource mapping not found for name: "${name}" namespace: "${own}" from "": ${error.message}\nensure CRDs are installed first`
  }
}

const withNamespace = (object: KubernetesObject, namespace: string): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
})

/** The live objects, by refKey. Fails with the first ClusterError, with the message of Helm's ownership check. */
export const readLive = async (
  { cluster, signal }: Pick<ActionDeps, 'cluster' | 'signal'>,
  objects: readonly KubernetesObject[],
  describe: (object: KubernetesObject) => string,
): Promise<ReadonlyMap<string, KubernetesObject>> => {
  const limited = limiter(CONCURRENCY)
  const found = await Promise.all(
    objects.map(object =>
      limited(async () => {
        try {
          return await cluster.get(object.apiVersion, refOf(object), { signal })
        } catch (error) {
          if (!(error instanceof ClusterError) || error.code === 'unreachable') throw error
          throw new ActionFailed(`${describe(object)}: ${error.message}`, error)
        }
      }),
    ),
  )
  return new Map(found.filter(object => object !== undefined).map(object => [refKey(refOf(object)), object]))
}

/** Consecutive objects of the same kind, which Helm handles concurrently. */
export const batches = (objects: readonly KubernetesObject[]): readonly (readonly KubernetesObject[])[] => {
  const groups: KubernetesObject[][] = []
  for (const object of objects) {
    const last = groups.at(-1)
    if (last?.[0]?.kind === object.kind) last.push(object)
    else groups.push([object])
  }
  return groups
}

/** Runs `work` for each object with limited concurrency; resolves with all results. */
export const eachOf = <T>(
  objects: readonly KubernetesObject[],
  work: (object: KubernetesObject) => Promise<T>,
): Promise<readonly PromiseSettledResult<T>[]> => {
  const limited = limiter(CONCURRENCY)
  return Promise.allSettled(objects.map(object => limited(() => work(object))))
}
