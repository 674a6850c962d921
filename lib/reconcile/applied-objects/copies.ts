/** Which objects of the hub may be copies of a cluster's, for the Flux objects that refer to them. */
import { groupOf, type KubernetesObject, type ObjectRef } from '../../foundations/kinds/object.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { referencesOf } from '../../hub/references/references.ts'

/** On Secrets and the like of the hub: the cluster that they are copies from. What is without it is somebody's own, and stays. */
export const copiedFrom = 'keelson.dev/copied-from'

export const isData = ({ group, kind }: ObjectRef): boolean =>
  group === '' && (kind === 'Secret' || kind === 'ConfigMap')

/** What the hub reads of an object's references in its namespace: an account only where it brings credentials for a source. */
export const dataReadOnHub = (object: KubernetesObject): readonly ObjectRef[] =>
  referencesOf(object).filter(
    ref =>
      ref.namespace === object.metadata.namespace &&
      (isData(ref) ||
        (ref.group === '' && ref.kind === 'ServiceAccount' && groupOf(object.apiVersion) === sourceGroup)),
  )

/** The Secrets that an account brings, in a namespace. */
export const pullSecretsOf = (account: KubernetesObject | undefined, namespace: string): readonly ObjectRef[] => {
  const { imagePullSecrets = [] } = (account ?? {}) as {
    readonly imagePullSecrets?: readonly { readonly name: string }[]
  }
  return imagePullSecrets.map(({ name }) => ({ group: '', kind: 'Secret', namespace, name }))
}
