import { type Cluster, cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { describeTarget, namedTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { type InheritedTarget, inheritedTarget } from '../../foundations/rules/target.ts'
import type { Hub } from '../store/hub.ts'
import { readSecret, type StoredSecret } from '../store/read-secret.ts'
import { type CrossNamespaceSettings, requireNamespaceAllowed } from './access-denied.ts'

/** The object whose spec refers to another one. */
export interface Referrer {
  readonly metadata: { readonly namespace?: string }
}

/** The kind of a reference: a Kind, or the group and kind from an object. */
export interface ReferredKind {
  readonly group: string
  readonly kind: string
}

/** An object's namespace and name in the hub. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

/**
 * Reads objects of the hub that specs refer to; reconcilers have no other access. The method determines which namespaces a field may
 * refer to. Each resolves to undefined if the object does not exist.
 */
export interface References {
  /** An object in the referrer's own namespace. The hub reads it on behalf of anyone who may write the referrer, as Flux's controllers do. */
  local<T extends KubernetesObject>(referrer: Referrer, kind: ReferredKind, name: string): Promise<T | undefined>
  /** The same for a Secret, decoded. */
  localSecret(referrer: Referrer, name: string): Promise<StoredSecret | undefined>
  /** The objects of a kind in the referrer's own namespace, optionally by label selector. */
  localList<T extends KubernetesObject>(
    referrer: Referrer,
    kind: ReferredKind,
    labelSelector?: string,
  ): Promise<readonly T[]>
  /**
   * An object in the namespace that the reference names. Fails with AccessDenied if that is another one and the settings forbid it. For
   * references that reveal no more to the referrer's author than in Flux: whether the object exists and is ready, or its artifact.
   */
  anywhere<T extends KubernetesObject>(
    referrer: Referrer,
    kind: ReferredKind,
    place: Place,
    settings: CrossNamespaceSettings,
  ): Promise<T | undefined>
  /** An object that an operator's setting refers to, not a spec. */
  ofOperator<T extends KubernetesObject>(kind: ReferredKind, place: Place): Promise<T | undefined>
  /**
   * The cluster of an object without a kubeconfig: its own annotation may name a kubeconfig in its namespace, that of its Namespace one in any namespace.
   * Undefined if neither does. Fails with a TargetError.
   */
  target(object: KubernetesObject): Promise<InheritedTarget | undefined>
  /** The kubeconfig of a target. */
  ofTarget(target: InheritedTarget): Promise<KubernetesObject | undefined>
  /** The Namespace of an object. */
  ownNamespace(object: Referrer): Promise<KubernetesObject | undefined>
  /** The Clusters with this access. */
  clustersWith(access: TargetReference): Promise<readonly Cluster[]>
  /** The objects of a kind that refer to another one in their specs, in all namespaces, as far as the index knows. */
  referrersOf<T extends KubernetesObject>(target: ObjectRef, kind: ReferredKind): Promise<readonly T[]>
}

/** What references are resolved with. */
export type ReferenceReader = Pick<Hub, 'get' | 'list' | 'referrers'>

/** References read through the hub's own API, with its permissions: the methods decide what a referrer may refer to. */
export const createReferences = (hub: ReferenceReader): References => ({
  local: (referrer, { group, kind }, name) => hub.get({ group, kind, namespace: namespaceOf(referrer), name }),
  localSecret: (referrer, name) => readSecret(hub, namespaceOf(referrer), name),
  localList: async <T extends KubernetesObject>(
    referrer: Referrer,
    { group, kind }: ReferredKind,
    labelSelector?: string,
  ) => (await hub.list<T>({ group, kind, namespace: namespaceOf(referrer), labelSelector })).items,
  anywhere: async (referrer, { group, kind }, place, settings) => {
    requireNamespaceAllowed({ kind, ...place }, namespaceOf(referrer), settings)
    return hub.get({ group, kind, ...place })
  },
  ofOperator: ({ group, kind }, place) => hub.get({ group, kind, ...place }),
  target: async object => inheritedTarget(object, await namespaceIn(hub, object)),
  ofTarget: ({ reference }) => hub.get({ group: '', ...reference }),
  ownNamespace: object => namespaceIn(hub, object),
  clustersWith: async access => {
    const found = await referrersIn<Cluster>(hub, { group: '', ...access }, cluster)
    // The index may lag behind a change of a Cluster.
    return found.filter(item => isSame(namedTarget(item), access))
  },
  referrersOf: (target, kind) => referrersIn(hub, target, kind),
})

const referrersIn = async <T extends KubernetesObject>(
  hub: ReferenceReader,
  target: ObjectRef,
  { group, kind }: ReferredKind,
): Promise<readonly T[]> => {
  const refs = await Array.fromAsync(hub.referrers(target, { group, kind }))
  const found = await Promise.all(refs.map(ref => hub.get<T>(ref)))
  return found.filter(item => item !== undefined)
}

const isSame = (one: TargetReference | undefined, other: TargetReference): boolean =>
  one !== undefined && describeTarget(one) === describeTarget(other)

const namespaceIn = (hub: Pick<Hub, 'get'>, object: Referrer): Promise<KubernetesObject | undefined> =>
  hub.get({ group: '', kind: 'Namespace', namespace: '', name: namespaceOf(object) })

/** The namespace of a referrer; '' if cluster-scoped. */
export const namespaceOf = ({ metadata }: Referrer): string => metadata.namespace ?? ''

const core = (kind: string): ReferredKind => ({ group: '', kind })
export const secretKind = core('Secret')
export const configMapKind = core('ConfigMap')
export const serviceAccountKind = core('ServiceAccount')

/** For references that Flux's flag `--no-cross-namespace-refs` does not restrict. */
export const everyNamespace: CrossNamespaceSettings = { noCrossNamespaceRefs: false }

export type { StoredSecret } from '../store/read-secret.ts'
export { referencesOf } from '../store/references.ts'
