import type { ResourceSet } from '../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../foundations/kinds/resource-set-input-provider.ts'
import { selectorText } from '../foundations/rules/label-selector-text.ts'
import { inputProviderKind } from './fleet-kinds.ts'
import type { HubApi } from './hub-api.ts'
import { listPage } from './list-page.ts'

type InputsReference = NonNullable<ResourceSet['spec']['inputsFrom']>[number]

/** The providers that a ResourceSet refers to, by name or by label. Fails with ApiFailure or HubUnreachable. */
export const readInputProviders = async (
  api: HubApi,
  namespace: string,
  references: readonly InputsReference[],
  signal: AbortSignal,
): Promise<readonly ResourceSetInputProvider[]> => {
  const found = await Promise.all(
    references.map(({ name, selector }) => {
      const query = name ? { fieldSelector: `metadata.name=${name}` } : { labelSelector: selectorText(selector ?? {}) }
      return listPage<ResourceSetInputProvider>(api, inputProviderKind, { namespace, query }, signal)
    }),
  )
  const byName = new Map(found.flatMap(({ items }) => items).map(item => [item.metadata.name, item]))
  return [...byName.values()]
}
