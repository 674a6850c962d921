import { inputsOf } from '../../engines/resource-set/combine-inputs.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { InputSet, ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { resourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { inputProvidersOf } from '../../hub/references/input-providers.ts'
import type { References } from '../../hub/references/references.ts'

/**
 * The sets of inputs to render a ResourceSet with: its own, and the exports of the providers in its namespace that it
 * names or selects (RS-008). Fails if a named provider is missing, or there would be too many combinations.
 */
export const resolveInputs = async (set: ResourceSet, references: References): Promise<readonly InputSet[]> => {
  const {
    providers,
    missing: [name],
  } = await inputProvidersOf(set, references)
  if (name === undefined) return inputsOf(set, providers)
  throw new Error(
    `failed to get provider ${set.metadata.namespace}/${name}: ${resourceSetInputProvider.kind}.${operatorGroup} "${name}" not found`,
  )
}
