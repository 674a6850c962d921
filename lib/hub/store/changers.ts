/**
 * Who made the current generation of a unit. Kept in the index of the store, not in the object: no client can write it, and objects look as
 * they do in Kubernetes. Pure.
 */
import { ownerGroups, ownerOn } from '../../foundations/fleet/owner-labels.ts'
import { groupOf, type KubernetesObject } from '../../foundations/kinds/object.ts'
import { isHubGroup } from '../../foundations/kinds/references.ts'

/** The user that units apply to the hub as if they name no ServiceAccount. What they change is attributed to the unit. */
export const hubController = 'system:serviceaccount:keelson-system:kustomize-controller'

interface Earlier {
  readonly object: KubernetesObject
  readonly refersTo: readonly string[]
}

const prefix = 'changed-by|'

/** The index key of who made the generation that a write by `user` leads to; none if the hub itself did, and for other kinds. */
export const changerKeys = (
  object: KubernetesObject,
  earlier: Earlier | undefined,
  user: string | undefined,
): readonly string[] => {
  if (!isUnit(object)) return []
  const isSame = earlier && earlier.object.metadata.generation === object.metadata.generation
  const changer = isSame ? changerIn(earlier.refersTo) : changerOf(object, user)
  return changer === undefined ? [] : [`${prefix}${changer}`]
}

/** The user among a record's index keys who made its generation; undefined if it has none. */
export const changerIn = (keys: readonly string[]): string | undefined =>
  keys.find(key => key.startsWith(prefix))?.slice(prefix.length)

/** The labels of an owner are set by the unit that applies the object, whatever its manifest says. */
const changerOf = (object: KubernetesObject, user: string | undefined): string | undefined => {
  const owner = user === hubController ? ownerOn(object) : undefined
  return owner ? `${owner.kind} ${owner.namespace}/${owner.name}` : user
}

const isUnit = ({ apiVersion, kind }: KubernetesObject): boolean =>
  isHubGroup(groupOf(apiVersion)) && ownerGroups.some(([, unit]) => unit === kind)
