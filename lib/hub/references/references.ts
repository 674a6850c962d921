import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { type InheritedTarget, inheritedTarget } from '../../foundations/rules/target.ts'
import type { Hub } from '../store/hub.ts'
import { readSecret, type StoredSecret } from '../store/read-secret.ts'
import { type CrossNamespaceSettings, requireNamespaceAllowed } from './access-denied.ts'

/** The object whose spec refers to another one. */
export interface Referrer {
  readonly metadata: { readonly namespace?: string }
}

/** The kind that a reference is to: a Kind, or an object's own words. */
export interface ReferredKind {
  readonly group: string
  readonly kind: string
}

/** An object's place in the hub. */
export interface Place {
  readonly namespace: string
  readonly name: string
}

/**
 * The way to objects of the hub that specs refer to; reconcilers have no other. Which method a field uses says how far its references
 * reach. Each resolves with undefined when there is no such object.
 */
export interface References {
  /** An object of the referrer's own namespace. The hub reads it for whoever may write the referrer, as Flux's controllers do. */
  local<T extends KubernetesObject>(referrer: Referrer, kind: ReferredKind, name: string): Promise<T | undefined>
  /** The same of a Secret, decoded. */
  localSecret(referrer: Referrer, name: string): Promise<StoredSecret | undefined>
  /** The objects of a kind in the referrer's own namespace; those with some labels only, when a selector says which. */
  localList<T extends KubernetesObject>(
    referrer: Referrer,
    kind: ReferredKind,
    labelSelector?: string,
  ): Promise<readonly T[]>
  /**
   * An object of the namespace that the reference names. Fails with AccessDenied when that is another one and the settings forbid it.
   * For references that tell the referrer's author no more than Flux does: whether the object is there and ready, or its artifact.
   */
  anywhere<T extends KubernetesObject>(
    referrer: Referrer,
    kind: ReferredKind,
    place: Place,
    settings: CrossNamespaceSettings,
  ): Promise<T | undefined>
  /** An object that a setting of the operator names, not a spec. */
  ofOperator<T extends KubernetesObject>(kind: ReferredKind, place: Place): Promise<T | undefined>
  /**
   * The cluster that an object without a kubeconfig applies to: its own annotation names a kubeconfig of its own namespace, that of its
   * Namespace any. Undefined where both are silent. Fails with a TargetError.
   */
  target(object: KubernetesObject): Promise<InheritedTarget | undefined>
  /** The kubeconfig of a target. */
  ofTarget(target: InheritedTarget): Promise<KubernetesObject | undefined>
}

export const createReferences = (hub: Pick<Hub, 'get' | 'list'>): References => ({
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
  target: async object => {
    const name = namespaceOf(object)
    return inheritedTarget(object, await hub.get({ group: '', kind: 'Namespace', namespace: '', name }))
  },
  ofTarget: ({ reference }) => hub.get({ group: '', ...reference }),
})

/** Where a referrer is; '' for one of the cluster scope. */
export const namespaceOf = ({ metadata }: Referrer): string => metadata.namespace ?? ''

const core = (kind: string): ReferredKind => ({ group: '', kind })
export const secretKind = core('Secret')
export const configMapKind = core('ConfigMap')
export const serviceAccountKind = core('ServiceAccount')

/** For references that the flag `--no-cross-namespace-refs` leaves alone in Flux. */
export const everyNamespace: CrossNamespaceSettings = { noCrossNamespaceRefs: false }

export type { StoredSecret } from '../store/read-secret.ts'
export { referencesOf } from '../store/references.ts'
