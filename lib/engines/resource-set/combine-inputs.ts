import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { InputSet, ResourceSet, ResourceSetSpec } from '../../foundations/kinds/resource-set.ts'
import { resourceSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { permute } from './permute.ts'

/** An object that provides sets of inputs: an input provider, or the ResourceSet itself for its inline inputs. */
export interface InputSource {
  readonly kind: 'ResourceSet' | 'ResourceSetInputProvider'
  readonly name: string
  readonly namespace: string
  readonly inputs: readonly InputSet[]
}

/** The sets of inputs to render with: the ResourceSet's own and those of its providers, combined by its strategy. */
export const inputsOf = (
  set: Pick<ResourceSet, 'metadata' | 'spec'>,
  providers: readonly Pick<ResourceSetInputProvider, 'metadata' | 'status'>[],
): readonly InputSet[] => combineInputs(set.spec.inputStrategy, sourcesOf(set, providers))

/** Inline inputs first, then each provider once, by name (RS-013, RS-016); providers of equal name in the given order. */
const sourcesOf = (
  { metadata, spec }: Pick<ResourceSet, 'metadata' | 'spec'>,
  providers: readonly Pick<ResourceSetInputProvider, 'metadata' | 'status'>[],
): readonly InputSource[] => {
  const named = (of: KubernetesObject['metadata']) => ({ name: of.name, namespace: of.namespace ?? '' })
  const once = new Map(
    providers.map(provider => [`${provider.metadata.namespace}/${provider.metadata.name}`, provider]),
  )
  const exported = [...once.values()]
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0))
    .map(({ metadata, status }) => ({
      kind: 'ResourceSetInputProvider' as const,
      ...named(metadata),
      inputs: status?.exportedInputs ?? [],
    }))
  const inline = { kind: 'ResourceSet' as const, ...named(metadata), inputs: spec.inputs ?? [] }
  return inline.inputs.length > 0 ? [inline, ...exported] : exported
}

/** Fails with flux-operator's message if there are too many combinations or the strategy is unknown. */
export const combineInputs = (
  { name, includeEmptyProviders = false }: NonNullable<ResourceSetSpec['inputStrategy']> = { name: 'Flatten' },
  sources: readonly InputSource[],
): readonly InputSet[] => {
  switch (name) {
    case 'Flatten':
      return sources.flatMap(withProvider)
    case 'Permute':
      return permute(
        sources.map(source => ({ of: `${source.kind}/${source.name}`, name: source.name, sets: withProvider(source) })),
        includeEmptyProviders,
      )
    default:
      throw new Error(`unknown input strategy: '${name as string}'`)
  }
}

/** Adds to each set the field that names its provider, overriding the set's own field (RS-032 to RS-035). */
const withProvider = ({ kind, name, namespace, inputs }: InputSource): readonly InputSet[] => {
  const provider = { apiVersion: `${operatorGroup}/${resourceSet.versions[0]!.name}`, kind, name, namespace }
  return inputs.map(set => ({ ...set, provider }))
}
