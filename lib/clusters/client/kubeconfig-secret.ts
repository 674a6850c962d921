import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { KubeconfigError } from './kubeconfig.ts'

/**
 * The kubeconfig in a Secret (KS-217, KS-218): under `key` if one is named, else under `value`, else
 * `value.yaml`; Cluster API's `<cluster>-kubeconfig` Secrets work as they are.
 */
export const kubeconfigOf = (secret: KubernetesObject, key?: string): string => {
  const data = (secret.data ?? {}) as Readonly<Record<string, string>>
  for (const name of key ? [key] : ['value', 'value.yaml'])
    if (Object.hasOwn(data, name)) return Buffer.from(data[name] ?? '', 'base64').toString()
  const { namespace, name } = secret.metadata
  throw new KubeconfigError(
    `KubeConfig secret '${namespace}/${name}' does not contain a '${key ?? 'value'}' key with a kubeconfig`,
  )
}
