/** Which objects of the hub may be copies of a cluster's objects, for the Flux objects that refer to them. */
import { groupOf, type KubernetesObject, type ObjectRef } from '../../foundations/kinds/object.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { referencesOf } from '../../hub/references/references.ts'

/**
 * On Secrets, ConfigMaps and ServiceAccounts of the hub: the cluster that they were copied from. Objects without it are never changed or deleted.
 */
export const copiedFrom = 'keelson.dev/copied-from'

export const isData = ({ group, kind }: ObjectRef): boolean =>
  group === '' && (kind === 'Secret' || kind === 'ConfigMap')

/** The objects in its namespace that the hub reads for an object: an account only if it provides credentials for a source. */
export const dataReadOnHub = (object: KubernetesObject): readonly ObjectRef[] =>
  referencesOf(object).filter(
    ref =>
      ref.namespace === object.metadata.namespace &&
      (isData(ref) ||
        (ref.group === '' && ref.kind === 'ServiceAccount' && groupOf(object.apiVersion) === sourceGroup)),
  )

/** The pull secrets of an account, in a namespace. */
export const pullSecretsOf = (account: KubernetesObject | undefined, namespace: string): readonly ObjectRef[] => {
  const { imagePullSecrets = [] } = (account ?? {}) as {
    readonly imagePullSecrets?: readonly { readonly name: string }[]
  }
  return imagePullSecrets.map(({ name }) => ({ group: '', kind: 'Secret', namespace, name }))
}
