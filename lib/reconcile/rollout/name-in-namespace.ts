import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type Rollout, rolloutsAnnotation } from '../../foundations/kinds/rollout.ts'
import { rolloutsIn } from '../../foundations/rules/pin.ts'
import type { Hub } from '../../hub/store/hub.ts'

/** Names a Rollout in its Namespace, or no longer: units there that it selects then wait for their pins. */
export const nameIn = async (
  namespace: KubernetesObject | undefined,
  { metadata }: Rollout,
  isNamed: boolean,
  { hub }: { readonly hub: Pick<Hub, 'patch'> },
): Promise<void> => {
  if (!namespace || namespace.metadata.deletionTimestamp) return
  const isOwn = ({ name, namespace: place }: { readonly namespace: string; readonly name: string }) =>
    place === metadata.namespace && name === metadata.name
  const named = rolloutsIn(namespace)
  if (named.some(isOwn) === isNamed) return
  const others = named.filter(one => !isOwn(one)).map(one => `${one.namespace}/${one.name}`)
  const value = [...others, ...(isNamed ? [`${metadata.namespace}/${metadata.name}`] : [])].join(',')
  const ref = { group: '', kind: 'Namespace', namespace: '', name: namespace.metadata.name }
  const patch = { metadata: { annotations: { [rolloutsAnnotation]: value || null } } }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'keelson' })
}
