/** What objects refer to in their specs: the index that finds the objects affected by a change of a source, a Secret... */
import { eventSourceRefs } from '../../foundations/kinds/alert.ts'
import { builtInKinds, kindRegistry } from '../../foundations/kinds/all.ts'
import { changePolicy, isHeldByPolicy } from '../../foundations/kinds/change-policy.ts'
import { repositoriesOf } from '../../foundations/kinds/followed-version.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { groupOf } from '../../foundations/kinds/object.ts'
import { type Finder, type Found, fleetGroup } from '../../foundations/kinds/references.ts'

const kinds = kindRegistry(builtInKinds)

/** What an object refers to if it selects objects of this one's kind in its namespace by label. */
export const selectionOf = ({ group, kind, namespace }: ObjectRef): ObjectRef => ({ group, kind, namespace, name: '*' })

/**
 * All objects that this one refers to, without duplicates: in its spec, the repository that a source follows, the path of a Receiver, the
 * events of an Alert, the policies against a unit's change, and the data sources of a ResourceSet. Excludes objects selected by label or `*`, for which see `selectionOf`.
 */
export const referencesOf = (object: KubernetesObject): readonly ObjectRef[] => {
  const kind = kinds.find(groupOf(object.apiVersion), object.kind)
  if (!kind?.references) return []
  const named = kind.references(object, finderFor(object.metadata.namespace ?? '')).flat()
  return [...named, ...repositoriesOf(object), ...eventSourceRefs(object), ...policiesAgainst(object)]
}

/** A unit with a change that policies deny, or leave to users, refers to all of them: those that are against it may be others after any change of one. */
const policiesAgainst = (object: KubernetesObject): readonly ObjectRef[] =>
  isHeldByPolicy(object) ? [selectionOf({ group: fleetGroup, kind: changePolicy.kind, namespace: '', name: '*' })] : []

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
