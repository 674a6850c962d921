import type { Hub } from '../../hub/hub.ts'
import { operatorGroup } from '../../kinds/flux-operator.ts'
import type { InputSet, ResourceSet } from '../../kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../kinds/resource-set-input-provider.ts'
import { inputsOf } from '../../resource-set/combine-inputs.ts'
import { selectorText } from '../../rules/label-selector-text.ts'

const kind = 'ResourceSetInputProvider'

/**
 * The sets of inputs that a ResourceSet is rendered with: its own, and what the providers of its namespace export that it
 * names or selects (RS-008). Fails when one that it names is not there, or there would be too many combinations.
 */
export const resolveInputs = async (set: ResourceSet, hub: Pick<Hub, 'get' | 'list'>): Promise<readonly InputSet[]> => {
  const { namespace = '' } = set.metadata
  const found = await Promise.all(
    (set.spec.inputsFrom ?? []).map(async ({ name, selector = {} }) => {
      if (name !== undefined) return [await provider(hub, namespace, name)]
      const query = { group: operatorGroup, kind, namespace, labelSelector: selectorText(selector) }
      return (await hub.list<ResourceSetInputProvider>(query)).items
    }),
  )
  return inputsOf(set, found.flat())
}

const provider = async (hub: Pick<Hub, 'get'>, namespace: string, name: string): Promise<ResourceSetInputProvider> => {
  const found = await hub.get<ResourceSetInputProvider>({ group: operatorGroup, kind, namespace, name })
  if (found) return found
  throw new Error(`failed to get provider ${namespace}/${name}: ${kind}.${operatorGroup} "${name}" not found`)
}
