/** What objects refer to through their spec: the index behind "whom does a change of this source, Secret... concern". */
import { eventSourceRefs } from '../../foundations/kinds/alert.ts'
import { builtInKinds, kindRegistry } from '../../foundations/kinds/all.ts'
import { repositoriesOf } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import type { Finder, Found } from '../../foundations/kinds/references.ts'

const kinds = kindRegistry(builtInKinds)

/** What an object refers to that chooses objects of this one's kind in its namespace by label. */
export const selectionOf = ({ group, kind, namespace }: ObjectRef): ObjectRef => ({ group, kind, namespace, name: '*' })

/**
 * Every object that this one names in its spec, the repository that a source follows, the path that a Receiver listens at, the events that an Alert listens to and
 * what a ResourceSet has taken data from, once each. Objects chosen by label or `*` are not among them, but see `selectionOf`.
 */
export const referencesOf = (object: KubernetesObject): readonly ObjectRef[] => {
  const kind = kinds.find(groupOf(object.apiVersion), object.kind)
  if (!kind?.references) return []
  const named = kind.references(object, finderFor(object.metadata.namespace ?? '')).flat()
  return [...named, ...repositoriesOf(object), ...eventSourceRefs(object)]
}

const finderFor = (ownNamespace: string): Finder => {
  const ref = (group: string, kind: string | undefined, name: string | undefined, namespace = ownNamespace): Found =>
    kind && name && name !== '*' ? [{ group, kind, namespace: namespace || ownNamespace, name }] : []
  return {
    secret: reference => ref('', 'Secret', reference?.name),
    configMap: reference => ref('', 'ConfigMap', reference?.name),
    serviceAccount: name => ref('', 'ServiceAccount', name),
    object: (reference, defaults) => {
      const { apiVersion, kind = defaults.kind, name, namespace } = reference ?? {}
      return ref(apiVersion ? groupOf(apiVersion) : defaults.group, kind, name, namespace)
    },
    any: (group, kind) => [selectionOf({ group, kind, namespace: ownNamespace, name: '*' })],
  }
}
