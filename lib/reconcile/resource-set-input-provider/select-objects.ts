import type { ClusterClient } from '../../clusters/client/client.ts'
import { adler32 } from '../../foundations/go/adler32.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { InputSelector, ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import { selectingCluster } from '../../hub/references/selecting-cluster.ts'
import type { InputProviderPorts } from './context.ts'

interface SelectedKind {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * The objects of a kind on the hub that match any of the selectors, without duplicates, by namespace and name. Fails if the provider's account
 * may not list them: an empty list would delete the objects that ResourceSets created from an earlier one.
 */
export const selectObjects = async (
  provider: ResourceSetInputProvider,
  { apiVersion, kind }: SelectedKind,
  selectors: readonly InputSelector[],
  { hubCluster, settings }: Pick<InputProviderPorts, 'hubCluster' | 'settings'>,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> => {
  const { namespace = '' } = provider.metadata
  const found = await Promise.all(
    selectors.map(selector =>
      chosen(
        selectingCluster(provider, { ...selector, kind }, hubCluster, settings),
        { apiVersion, kind, namespace },
        selector,
        signal,
      ),
    ),
  )
  const byName = new Map(found.flat().map(object => [sortKey(object), object]))
  return [...byName.values()].sort((a, b) => compareText(sortKey(a), sortKey(b)))
}

const sortKey = ({ metadata }: KubernetesObject): string => `${metadata.namespace}/${metadata.name}`

/** The inputs that any object gives: its labels, name and namespace, and an id made of both. */
export const identityOf = ({ metadata }: KubernetesObject): InputSet => {
  const { namespace = '', name, labels } = metadata
  return { ...labels, id: String(adler32(`${namespace}/${name}`)), name, namespace }
}

const chosen = async (
  cluster: ClusterClient,
  { apiVersion, kind, namespace: own }: SelectedKind & { readonly namespace: string },
  { name, namespace: sought, kind: _, ...labels }: InputSelector,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> => {
  const namespace = sought || own
  const everywhere = namespace === '*'
  if (name !== undefined && !everywhere) {
    const object = await cluster.get(apiVersion, { group: groupOf(apiVersion), kind, namespace, name }, { signal })
    return object ? [object] : []
  }
  const query = { apiVersion, kind, labelSelector: selectorText(labels), ...(!everywhere && { namespace }) }
  const { items } = await cluster.list(query, { signal })
  return name === undefined ? items : items.filter(({ metadata }) => metadata.name === name)
}

/** Clusters are those of a tenant: their access is in the namespace, too. */
export const requireOwnNamespace = (
  { metadata }: ResourceSetInputProvider,
  selectors: readonly InputSelector[],
): void => {
  const foreign = selectors.find(({ namespace }) => namespace && namespace !== metadata.namespace)
  if (foreign)
    throw new Error(
      `spec.selectors: clusters are only selected in the provider's own namespace, not in '${foreign.namespace}'`,
    )
}
