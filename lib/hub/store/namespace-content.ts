import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { resourceName } from './api-errors.ts'
import type { Hub } from './hub.ts'
import { ApiError } from './hub.ts'

/** What a terminating namespace is waiting for: counts by resource and by finalizer. */
export interface RemainingContent {
  readonly resources: ReadonlyMap<string, number>
  readonly finalizers: ReadonlyMap<string, number>
}

const page = 500

/**
 * Requests the deletion of everything in a namespace, and returns what remains: objects with finalizers, and what those need. Unlike
 * Kubernetes, which deletes in no particular order, it deletes units before the kubeconfigs, keys and accounts that their finalizers need
 * to delete the applied objects.
 */
export const emptyNamespace = async (
  hub: Pick<Hub, 'list' | 'delete'>,
  kinds: KindRegistry,
  namespace: string,
): Promise<RemainingContent> => {
  const resources = new Map<string, number>()
  const finalizers = new Map<string, number>()
  const remains = (kind: Kind, object: KubernetesObject): void => {
    count(resources, resourceName(kind))
    for (const finalizer of object.metadata.finalizers ?? []) count(finalizers, finalizer)
  }
  const namespaced = kinds.kinds.filter(kind => kind.namespaced)
  for (const kind of namespaced.filter(kind => !isNeededByFinalizers(kind)))
    for await (const object of contentOf(hub, kind, namespace)) {
      const left = await deleted(hub, kind, object)
      if (left) remains(kind, left)
    }
  const isWaiting = resources.size > 0
  for (const kind of namespaced.filter(isNeededByFinalizers))
    for await (const object of contentOf(hub, kind, namespace)) {
      const left = isWaiting ? object : await deleted(hub, kind, object)
      if (left) remains(kind, left)
    }
  return { resources, finalizers }
}

/** Kubeconfigs, keys and credentials, and the accounts used for deletion, with their roles. */
const isNeededByFinalizers = ({ group, kind }: Kind): boolean =>
  group === 'rbac.authorization.k8s.io' || (group === '' && ['Secret', 'ConfigMap', 'ServiceAccount'].includes(kind))

async function* contentOf(hub: Pick<Hub, 'list'>, { group, kind }: Kind, namespace: string) {
  let next: string | undefined
  do {
    const list = await hub.list({ group, kind, namespace, limit: page, ...(next && { continue: next }) })
    yield* list.items
    next = list.continue
  } while (next)
}

/** The object if finalizers keep it, otherwise undefined. */
const deleted = async (
  hub: Pick<Hub, 'delete'>,
  { group, kind }: Kind,
  { metadata }: KubernetesObject,
): Promise<KubernetesObject | undefined> => {
  const { name, namespace = '', uid } = metadata
  try {
    const last = await hub.delete({ group, kind, namespace, name }, { propagation: 'Background', uid })
    return last.metadata.finalizers?.length ? last : undefined
  } catch (error) {
    if (error instanceof ApiError && (error.reason === 'NotFound' || error.reason === 'Conflict')) return undefined
    throw error
  }
}

const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** The conditions of a terminating namespace, as Kubernetes' namespace controller writes them. */
export const terminationConditions = (
  { resources, finalizers }: RemainingContent,
  before: readonly Condition[],
  now: string,
): Condition[] => {
  const listed = (counts: ReadonlyMap<string, number>, of: (key: string, count: number) => string) =>
    [...counts]
      .map(([key, total]) => of(key, total))
      .sort()
      .join(', ')
  const found: Omit<Condition, 'lastTransitionTime'>[] = [
    fine('NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    fine(
      'NamespaceDeletionContentFailure',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    resources.size === 0
      ? fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : {
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
          message: `Some resources are remaining: ${listed(resources, (name, total) => `${name} has ${total} resource instances`)}`,
        },
    finalizers.size === 0
      ? fine('NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished')
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${listed(finalizers, (name, total) => `${name} in ${total} resource instances`)}`,
        },
  ]
  return found.map(condition => {
    const old = before.find(({ type }) => type === condition.type)
    return { ...condition, lastTransitionTime: old?.status === condition.status ? old.lastTransitionTime : now }
  })
}

const fine = (type: string, reason: string, message: string) => ({ type, status: 'False' as const, reason, message })
