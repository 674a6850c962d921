import { accessOfProfile, type ClusterProfile, inventoryVersion } from '../../clusters/client/cluster-profile.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import { accessNameOf } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { InputSelector, ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import type { InputProviderPorts } from './context.ts'
import { identityOf, selectObjects } from './select-objects.ts'

const profileKind = { apiVersion: inventoryVersion, kind: 'ClusterProfile' }
const decisionKind = { apiVersion: inventoryVersion, kind: 'PlacementDecision' }

interface PlacementDecision extends KubernetesObject {
  readonly decisions?: readonly { readonly clusterProfileRef: { readonly name: string; readonly namespace?: string } }[]
}

/** The profiles that selectors choose, and those that PlacementDecisions name, of all slices. */
export const selectProfiles = async (
  provider: ResourceSetInputProvider,
  selectors: readonly InputSelector[],
  ports: InputProviderPorts,
  signal: AbortSignal,
): Promise<readonly InputSet[]> => {
  const of = (kind: InputSelector['kind']) => selectors.filter(selector => selector.kind === kind)
  const select = (kind: typeof profileKind, chosen: readonly InputSelector[]) =>
    selectObjects(provider, kind, chosen, ports, signal)
  const decisions = (await select(decisionKind, of('PlacementDecision'))) as readonly PlacementDecision[]
  const named = decisions.flatMap(decision => namesIn(decision, namespaceOf(provider)))
  const chosen = [...of('ClusterProfile'), ...[...new Set(named)].map(name => ({ name }))]
  const profiles = (await select(profileKind, chosen)) as readonly ClusterProfile[]
  const found = new Set(profiles.map(({ metadata }) => metadata.name))
  const missing = named.filter(name => !found.has(name)).flatMap(name => asBefore(provider, name))
  return [...profiles.flatMap(profile => ofProfile(provider, profile)), ...missing]
}

const namesIn = ({ metadata, decisions = [] }: PlacementDecision, own: string): readonly string[] =>
  decisions.map(({ clusterProfileRef: { name, namespace } }) => {
    if (!namespace || namespace === own) return name
    throw new Error(
      `PlacementDecision ${own}/${metadata.name} names ClusterProfile ${namespace}/${name}: clusters are only selected in the provider's own namespace`,
    )
  })

/**
 * The inputs of a profile: `kubeConfig` is what a Cluster of the same name with this profile derives. Without an access that is built in, it keeps
 * the inputs that it had, if any: an access that its manager takes away for a moment must not take the units.
 */
const ofProfile = (provider: ResourceSetInputProvider, profile: ClusterProfile): readonly InputSet[] => {
  const name = accessNameOf(profile.metadata.name)
  try {
    const { type } = accessOfProfile(profile)
    const kubeConfig = type === 'cloud' ? { configMapRef: { name } } : { secretRef: { name, key: 'value' } }
    return [{ ...identityOf(profile), clusterProfile: profile.metadata.name, kubeConfig }]
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    return asBefore(provider, profile.metadata.name)
  }
}

/** What was exported of a profile before. */
const asBefore = ({ status }: ResourceSetInputProvider, profile: string): readonly InputSet[] =>
  (status?.exportedInputs ?? []).filter(({ clusterProfile }) => clusterProfile === profile)
