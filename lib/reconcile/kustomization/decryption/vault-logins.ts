import { isObject } from '../../../engines/yaml/json-value.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { configMapKind, type Place, type References } from '../../../hub/references/references.ts'
import { keyFields, textField } from './key-fields.ts'

type ConfigMap = KubernetesObject & { readonly data?: Readonly<Record<string, string>> }

/**
 * Login paths by the addresses of allowed Vault servers, from `config.yaml` in a ConfigMap, which lists `instances`
 * with `address` and `loginPath` (KS-260). Empty without a ConfigMap. Fails if it is missing or malformed.
 */
export const vaultLogins = async (
  references: References,
  at: Place | undefined,
): Promise<ReadonlyMap<string, string>> => {
  if (!at) return new Map()
  const shown = `Vault ConfigMap '${at.namespace}/${at.name}'`
  const holder = await references.ofOperator<ConfigMap>(configMapKind, at)
  if (!holder) throw new Error(`failed to get ${shown}: configmaps "${at.name}" not found`)
  const text = holder.data?.['config.yaml']
  if (text === undefined) throw new Error(`${shown} is missing the 'config.yaml' key`)
  const { instances } = keyFields(text)
  if (!Array.isArray(instances)) throw new Error(`failed to parse 'config.yaml' in ${shown}: instances is not a list`)
  const entries = instances
    .filter(isObject)
    .map(each => [textField(each, 'address') ?? '', textField(each, 'loginPath') ?? ''] as const)
  return new Map(entries.filter(([address, path]) => address && path))
}
