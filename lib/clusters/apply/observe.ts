import { type KubernetesObject, type ObjectRef, refKey, refOf } from '../../foundations/kinds/object.ts'
import { type ClusterClient, ClusterError, type ClusterErrorCode, type GetOptions } from '../client/client.ts'
import { type Owner, ownerSelector } from './owner.ts'

/** The location of one object in one cluster. */
export interface Target {
  readonly apiVersion: string
  readonly ref: ObjectRef
}

/** By refKey. Objects that are gone, that now belong to another owner, or whose kind is not served have no entry. */
export type Observed = ReadonlyMap<string, KubernetesObject>

/**
 * Reads many objects of one owner with few requests: a list by owner labels per kind, or a get if a kind has only one object (unless lists
 * are shared). If lists over all namespaces are forbidden, it lists each namespace; if those are too, it reads each object.
 */
export const observe = async (
  cluster: ClusterClient,
  targets: readonly Target[],
  owner: Owner,
  options: GetOptions = {},
): Promise<Observed> => {
  const byKind = Map.groupBy(targets, ({ apiVersion, ref }) => `${apiVersion}|${ref.kind}`)
  const found = await Promise.all(
    byKind.values().map(targets =>
      unless(
        'noMatch',
        () => observeKind(cluster, targets, owner, options),
        async () => [],
      ),
    ),
  )
  return new Map(found.flat().map(object => [refKey(refOf(object)), object]))
}

const observeKind = async (
  cluster: ClusterClient,
  targets: readonly Target[],
  owner: Owner,
  { metadataOnly = false, signal }: GetOptions,
): Promise<readonly KubernetesObject[]> => {
  const readEach = (targets: readonly Target[]) => readAllowed(cluster, targets, { metadataOnly, signal })
  const [first] = targets
  if (!first || (targets.length === 1 && !cluster.sharesLists)) return readEach(targets)

  const query = {
    apiVersion: first.apiVersion,
    kind: first.ref.kind,
    labelSelector: ownerSelector(owner),
    metadataOnly,
  }
  const list = async (namespace?: string) =>
    (await cluster.list({ ...query, ...(namespace && { namespace }) }, { signal })).items
  const byNamespace = Map.groupBy(targets, ({ ref }) => ref.namespace)
  const perNamespace = async () => {
    const lists = byNamespace.entries().map(([namespace, targets]) =>
      unless(
        'forbidden',
        () => list(namespace),
        () => readEach(targets),
      ),
    )
    return (await Promise.all(lists)).flat()
  }
  return byNamespace.size === 1 ? perNamespace() : unless('forbidden', list, perNamespace)
}

const unless = async <T>(
  code: ClusterErrorCode,
  attempt: () => Promise<T>,
  otherwise: () => Promise<T>,
): Promise<T> => {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof ClusterError && error.code === code) return otherwise()
    throw error
  }
}

/** An object that we may not read is not observed; a step that needs it gets the error. */
const readAllowed = async (
  cluster: ClusterClient,
  targets: readonly Target[],
  options: GetOptions,
): Promise<readonly KubernetesObject[]> => {
  const objects = await Promise.all(
    targets.map(({ apiVersion, ref }) =>
      unless<KubernetesObject | undefined>(
        'forbidden',
        () => cluster.get(apiVersion, ref, options),
        async () => undefined,
      ),
    ),
  )
  return objects.filter(object => object !== undefined)
}
