/** The fields of every Kubernetes object in JSON, as in the API conventions. */

export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly generateName?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: number
  /** RFC 3339, whole seconds, UTC. */
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

export interface ManagedFieldsEntry {
  /** Clients may omit it. */
  readonly manager?: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly time?: string
  readonly fieldsType: 'FieldsV1'
  /** Keys `f:name`, `k:{...}`, `v:...`, `i:n`, `.`; values are nested sets. */
  readonly fieldsV1: Readonly<Record<string, unknown>>
  readonly subresource?: string
}

/** metav1.Condition. */
export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime: string
  readonly observedGeneration?: number
}

/** Identifies one object in one cluster. Without the version, which is a representation, not an identity. */
export interface ObjectRef {
  /** '' is the core group. */
  readonly group: string
  readonly kind: string
  /** '' for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
}

/** `apps` of `apps/v1`; empty for the core group, whose apiVersion is `v1`. */
export const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf('/')
  return slash < 0 ? '' : apiVersion.slice(0, slash)
}

/** `v1` of `apps/v1` and of `v1`. */
export const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1)

/** The ref of an object. Its namespace is empty for cluster-scoped objects, and for manifests that name none. */
export const refOf = (object: KubernetesObject): ObjectRef => ({
  group: groupOf(object.apiVersion),
  kind: object.kind,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
})

/** `Deployment.apps`, or `ConfigMap` for the core group: a GroupKind as Kubernetes writes it. */
export const describeKind = ({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>): string =>
  group ? `${kind}.${group}` : kind

/** `Kind/namespace/name`, or `Kind/name` if cluster-scoped: how Flux writes an object in messages and events. */
export const describeRef = ({ kind, namespace, name }: ObjectRef): string =>
  namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`

/** A map key, distinct for distinct refs (no part may contain a `|`). */
export const refKey = ({ group, kind, namespace, name }: ObjectRef): string => `${group}|${kind}|${namespace}|${name}`
