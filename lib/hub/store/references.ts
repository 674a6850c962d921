/** What objects refer to in their specs: the index that finds the objects affected by a change of a source, a Secret... */
import { eventSourceRefs } from '../../foundations/kinds/alert.ts'
import { builtInKinds, kindRegistry } from '../../foundations/kinds/all.ts'
import { repositoriesOf } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import type { Finder, Found } from '../../foundations/kinds/references.ts'

const kinds = kindRegistry(builtInKinds)

/** What an object refers to if it selects objects of this one's kind in its namespace by label. */
export const selectionOf = ({ group, kind, namespace }: ObjectRef): ObjectRef => ({ group, kind, namespace, name: '*' })

/**
 * All objects that this one refers to, without duplicates: in its spec, the repository that a source follows, the path of a Receiver, the
 * events of an Alert, and the data sources of a ResourceSet. Excludes objects selected by label or `*`, for which see `selectionOf`.
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
