import { inputsOf } from '../../engines/resource-set/combine-inputs.ts'
import { operatorGroup } from '../../foundations/kinds/flux-operator.ts'
import type { InputSet, ResourceSet } from '../../foundations/kinds/resource-set.ts'
import {
  type ResourceSetInputProvider,
  resourceSetInputProvider,
} from '../../foundations/kinds/resource-set-input-provider.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import type { References } from '../../hub/references/references.ts'

/**
 * The sets of inputs to render a ResourceSet with: its own, and the exports of the providers in its namespace that it
 * names or selects (RS-008). Fails if a named provider is missing, or there would be too many combinations.
 */
export const resolveInputs = async (set: ResourceSet, references: References): Promise<readonly InputSet[]> => {
  const found = await Promise.all(
    (set.spec.inputsFrom ?? []).map(async ({ name, selector = {} }) => {
      if (name !== undefined) return [await provider(references, set, name)]
      return references.localList<ResourceSetInputProvider>(set, resourceSetInputProvider, selectorText(selector))
    }),
  )
  return inputsOf(set, found.flat())
}

const provider = async (references: References, set: ResourceSet, name: string): Promise<ResourceSetInputProvider> => {
  const found = await references.local<ResourceSetInputProvider>(set, resourceSetInputProvider, name)
  if (found) return found
  throw new Error(
    `failed to get provider ${set.metadata.namespace}/${name}: ${resourceSetInputProvider.kind}.${operatorGroup} "${name}" not found`,
  )
}
