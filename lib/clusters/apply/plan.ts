import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { applyStages, compareApplyOrder } from '../../foundations/rules/apply-order.ts'
import { type ClusterClient, ClusterError } from '../client/client.ts'
import { type Item, orRefuse } from './apply-engine.ts'
import { normalize } from './normalize.ts'
import { type Owner, withOwnerLabels } from './owner.ts'

export interface PlanOptions {
  readonly owner: Owner
  /** The file an object came from, for messages. */
  readonly originOf?: (object: KubernetesObject) => string | undefined
  /** An origin with the line of the refused field, if that is found. */
  readonly locate?: (object: KubernetesObject, origin: string, field?: string) => string
  /** Kinds that are applied in a stage of their own, after definitions and classes (KS-292). */
  readonly isCustomStage?: (ref: { readonly group: string; readonly kind: string }) => boolean
  readonly signal?: AbortSignal
}

/**
 * The objects to send, in stages: with owner labels, normalized, with a namespace only if their kind
 * is namespaced. Fails with an ApplyError if discovery fails.
 */
export const plan = async (
  cluster: ClusterClient,
  objects: readonly KubernetesObject[],
  { owner, originOf, locate, isCustomStage, signal }: PlanOptions,
) => {
  const items = new Map<KubernetesObject, Item>()
  for (const object of objects.toSorted((a, b) => compareApplyOrder(refOf(a), refOf(b)))) {
    const origin = originOf?.(object)
    const scoped = await orRefuse({ desired: object, origin }, () => withScope(cluster, object, signal))
    const desired = withOwnerLabels(normalize(scoped), owner)
    const locateField = origin === undefined ? undefined : (field?: string) => locate?.(object, origin, field) ?? origin
    items.set(desired, { desired, origin, locateField })
  }
  return applyStages([...items.keys()], isCustomStage).map(({ objects, mustBeReady }) => ({
    mustBeReady,
    items: objects.map(desired => items.get(desired)!),
  }))
}

export type Stages = Awaited<ReturnType<typeof plan>>

/** A build may give cluster-scoped objects of custom kinds a namespace: it does not know their scope (KS-282). */
const withScope = async (
  cluster: ClusterClient,
  object: KubernetesObject,
  signal?: AbortSignal,
): Promise<KubernetesObject> => {
  const { namespace, ...metadata } = object.metadata
  if (!namespace || (await isNamespaced(cluster, object, signal))) return object
  return { ...object, metadata }
}

/** Unknown kinds, and kinds defined in this set, count as namespaced: the cluster corrects that. */
const isNamespaced = async (
  cluster: ClusterClient,
  { apiVersion, kind }: KubernetesObject,
  signal?: AbortSignal,
): Promise<boolean> => {
  try {
    return (await cluster.resourceFor(apiVersion, kind, { signal })).namespaced
  } catch (error) {
    if (error instanceof ClusterError && ['noMatch', 'server'].includes(error.code)) return true
    throw error
  }
}
