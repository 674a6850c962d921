import { groupOf, versionOf } from '../../foundations/kinds/object.ts'

export interface Gvk {
  readonly group: string
  readonly version: string
  readonly kind: string
}

/** The identity of a resource within a build. */
export interface ResourceId extends Gvk {
  readonly name: string
  readonly namespace: string
  /** Known to be cluster-scoped. */
  readonly clusterScoped: boolean
}

/** The namespace of cluster-scoped resources in comparisons. */
const CLUSTER_SCOPE = '_non_namespaceable_'

/** `apps` and `v1` of `apps/v1`; the group of `v1` is empty. */
export const parseGroupVersion = (apiVersion: string): { group: string; version: string } => ({
  group: groupOf(apiVersion),
  version: versionOf(apiVersion),
})

/**
 * The namespace by which kustomize compares: none is `default`, and all cluster-scoped resources share one of their
 * own.
 */
export const effectiveNamespace = ({ clusterScoped, namespace }: ResourceId): string =>
  clusterScoped ? CLUSTER_SCOPE : namespace === '' ? 'default' : namespace

/** Equal for ids that kustomize considers the same resource. */
export const idKey = (id: ResourceId): string =>
  `${id.group}|${id.version}|${id.kind}|${effectiveNamespace(id)}|${id.name}`

/** Whether all three parts are equal. An empty part is a value here; in a selector it matches all (`isSelected`). */
export const gvkEquals = (a: Gvk, b: Gvk): boolean =>
  a.kind === b.kind && a.group === b.group && a.version === b.version

/** Whether kustomize considers them the same resource: `apps/default/x` and `apps//x` are. */
export const idEquals = (a: ResourceId, b: ResourceId): boolean =>
  a.name === b.name && gvkEquals(a, b) && effectiveNamespace(a) === effectiveNamespace(b)

/** Whether all parts that the selector sets are equal. */
export const isSelected = (gvk: Gvk, selector: Partial<Gvk>): boolean =>
  (!selector.kind || gvk.kind === selector.kind) &&
  (!selector.group || gvk.group === selector.group) &&
  (!selector.version || gvk.version === selector.version)

/** `Deployment.v1.apps`, and kustomize's `[noKind]`, `[noVer]` and `[noGrp]` for missing parts. */
export const gvkString = ({ group, version, kind }: Gvk): string =>
  `${kind || '[noKind]'}.${version || '[noVer]'}.${group || '[noGrp]'}`

/** `Kind.version.group/name.namespace`, as kustomize prints ids. */
export const idString = (id: Omit<ResourceId, 'clusterScoped'>): string =>
  `${gvkString(id)}/${id.name || '[noName]'}.${id.namespace || '[noNs]'}`

const FIRST = [
  'Namespace',
  'ResourceQuota',
  'StorageClass',
  'CustomResourceDefinition',
  'ServiceAccount',
  'PodSecurityPolicy',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'Endpoints',
  'Service',
  'LimitRange',
  'PriorityClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
]
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']

/** Kinds in the order of kustomize's legacy sorting: dependencies of others first, webhooks last. */
export const legacyOrder = { first: FIRST as readonly string[], last: LAST as readonly string[] }

const rankOf = (kind: string): number => {
  const first = FIRST.indexOf(kind)
  return first >= 0 ? first - FIRST.length : LAST.indexOf(kind) + 1
}

/** A kind as text, for kustomize's sorting. */
export const sortString = ({ group, version, kind }: Gvk): string =>
  `${group || '~G'}_${version || '~V'}_${kind || '~K'}`

/** Negative if `a` sorts before `b`; never 0, as in kustomize. */
export const compareGvk = (a: Gvk, b: Gvk): number => {
  const rank = rankOf(a.kind) - rankOf(b.kind)
  if (rank !== 0) return rank
  return sortString(a) < sortString(b) ? -1 : 1
}
