import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import {
  type ResourceSetInputProvider,
  resourceSetInputProvider,
} from '../../foundations/kinds/resource-set-input-provider.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import type { References } from './references.ts'

/** The providers that a ResourceSet names or selects in its namespace (RS-008), and the names of those that do not exist. */
export const inputProvidersOf = async (
  set: ResourceSet,
  references: Pick<References, 'local' | 'localList'>,
): Promise<{ readonly providers: readonly ResourceSetInputProvider[]; readonly missing: readonly string[] }> => {
  const found = await Promise.all(
    (set.spec.inputsFrom ?? []).map(async ({ name, selector = {} }) => {
      if (name === undefined)
        return references.localList<ResourceSetInputProvider>(set, resourceSetInputProvider, selectorText(selector))
      const provider = await references.local<ResourceSetInputProvider>(set, resourceSetInputProvider, name)
      return provider ? [provider] : name
    }),
  )
  return {
    providers: found.flatMap(one => (typeof one === 'string' ? [] : one)),
    missing: found.filter(one => typeof one === 'string'),
  }
}
