import type { ClusterClient } from '../../clusters/client/client.ts'
import { adler32 } from '../../engines/resource-set/adler32.ts'
import { compareText } from '../../foundations/go/compare-text.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { InputSelector, ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import { selectingCluster } from '../../hub/references/selecting-cluster.ts'
import type { InputProviderPorts } from './context.ts'
import { limitOf } from './filter.ts'

/** Exports ExternalArtifacts of the hub, with their revisions and labels (RS-142). */
export const exportArtifacts = async (
  provider: ResourceSetInputProvider,
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const found = await select(provider, 'source.toolkit.fluxcd.io/v1', 'ExternalArtifact', ports, signal)
  return found.map(object => {
    const { artifact } = (object.status ?? {}) as { readonly artifact?: Artifact }
    return { ...identityOf(object), ...(artifact && { revision: artifact.revision }) }
  })
}

const kubeconfigKeys = ['value', 'value.yaml', 'kubeconfig']

/**
 * Keelson's own: exports the clusters that have a kubeconfig Secret in the provider's namespace, so that one ResourceSet can put a Kustomization on
 * each. Exports names and labels only, never the content of a Secret.
 */
export const exportClusters = async (
  provider: ResourceSetInputProvider,
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const { namespace } = provider.metadata
  const selectors = provider.spec.selectors ?? [{}]
  const foreign = selectors.find(selector => selector.namespace && selector.namespace !== namespace)
  if (foreign)
    throw new Error(
      `spec.selectors: clusters are looked for in the provider's own namespace only, not in '${foreign.namespace}'`,
    )
  const own = { ...provider, spec: { ...provider.spec, selectors } }
  const found = await select(own, 'v1', 'Secret', ports, signal)
  return found.flatMap(secret => {
    const keys = Object.keys((secret.data ?? {}) as object)
    const key = kubeconfigKeys.find(each => keys.includes(each))
    return key ? { ...identityOf(secret), key } : []
  })
}

const identityOf = ({ metadata }: KubernetesObject): InputSet => {
  const { namespace = '', name, labels } = metadata
  return { ...labels, id: String(adler32(`${namespace}/${name}`)), name, namespace }
}

/**
 * The objects that match any of the selectors, without duplicates, by namespace and name. Fails if the provider's account may not list them: an
 * empty list would delete what ResourceSets have made from an earlier one.
 */
const select = async (
  provider: ResourceSetInputProvider,
  apiVersion: string,
  kind: string,
  { hubCluster, settings }: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> => {
  const { namespace = '' } = provider.metadata
  const { selectors = [], filter = {} } = provider.spec
  const found = await Promise.all(
    selectors.map(selector =>
      chosen(
        selectingCluster(provider, { kind, ...selector }, hubCluster, settings),
        { apiVersion, kind, namespace },
        selector,
        signal,
      ),
    ),
  )
  const byName = new Map(found.flat().map(object => [`${object.metadata.namespace}/${object.metadata.name}`, object]))
  return [...byName]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, object]) => object)
    .slice(0, limitOf(filter))
}

interface Sought {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
}

const chosen = async (
  cluster: ClusterClient,
  { apiVersion, kind, namespace: own }: Sought,
  { name, namespace: sought, ...labels }: InputSelector,
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
