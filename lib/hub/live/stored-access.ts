/** As whom a person reaches the cluster of a unit, through the access that the hub has stored. */
import type { ClusterClient } from '../../clusters/client/client.ts'
import type { Clusters } from '../../clusters/client/clusters.ts'
import type { Impersonation } from '../../clusters/client/kubeconfig.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import { namespace as namespaceKind } from '../../foundations/kinds/namespace.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { accessOf } from '../../foundations/rules/target.ts'
import type { Viewer } from '../apiserver/fleet/visible-fleet.ts'
import { ApiError, type Hub } from '../store/hub.ts'

export interface LivePorts {
  readonly hub: Pick<Hub, 'get'>
  readonly clusters: Pick<Clusters, 'fromKubeconfig' | 'fromConfigMap'>
  /** The hub as a cluster. */
  readonly hubCluster: (impersonate?: Impersonation) => ClusterClient
}

/** A cluster, with the identity that suits the person. */
export interface ReachedAs {
  readonly cluster: ClusterClient
  /** Who is impersonated there; absent for the identity of the stored access. */
  readonly as?: string
}

/**
 * Who may read the kubeconfig could use it anyway, and acts with its identity. All others are impersonated with their name and groups, so that the
 * cluster's own RBAC applies. Names that begin with `system:` mean other accounts there than on the hub: they are never passed on. Fails with
 * Forbidden or NotFound.
 */
export const reachAs = async (
  { hub, clusters, hubCluster }: LivePorts,
  unit: KubernetesObject,
  viewer: Viewer,
): Promise<ReachedAs> => {
  const { user } = viewer
  const { group, kind: homeKind } = namespaceKind
  const home = await hub.get({ group, kind: homeKind, namespace: '', name: unit.metadata.namespace ?? '' })
  const reference = accessOf(unit, home)
  if (!reference) return { cluster: hubCluster({ user: user.name, groups: user.groups }), as: user.name }
  const { kind, namespace, name } = reference
  const object = await hub.get({ group: '', kind, namespace, name })
  if (!object) throw new ApiError(404, 'NotFound', `the access ${kind}/${namespace}/${name} does not exist`)
  const impersonate = (await mayUse(viewer, reference))
    ? undefined
    : impersonationOf(viewer, 'log in as a person, or get the right to read the kubeconfig')
  const cluster =
    kind === 'Secret'
      ? clusters.fromKubeconfig(kubeconfigOf(object, keyOf(unit)), impersonate)
      : await clusters.fromConfigMap(object, impersonate)
  return { cluster, ...(impersonate && { as: impersonate.user }) }
}

const keyOf = ({ spec }: KubernetesObject): string | undefined =>
  (spec as { readonly kubeConfig?: { readonly secretRef?: { readonly key?: string } } } | undefined)?.kubeConfig
    ?.secretRef?.key

/** A ConfigMap names a cluster without a credential: reading it gives no access. */
const mayUse = async ({ user, authorize }: Viewer, { kind, namespace, name }: TargetReference): Promise<boolean> => {
  if (user.groups.includes('system:masters')) return true
  if (kind !== 'Secret') return false
  const resource = { group: '', version: 'v1', resource: 'secrets', subresource: '', namespace, name }
  return (await authorize({ user, verb: 'get', path: '', resource })).allowed
}

/** Fails with Forbidden, and with what to do, for an account of the hub. */
export const impersonationOf = ({ user: { name, groups } }: Pick<Viewer, 'user'>, advice: string): Impersonation => {
  if (isSystemName(name))
    throw new ApiError(
      403,
      'Forbidden',
      `User "${name}" is an account of this hub, and means nobody on the cluster: ${advice}`,
    )
  return { user: name, groups: groups.filter(group => !isSystemName(group)) }
}

/** Of a user or group that is never impersonated. */
export const isSystemName = (name: string): boolean => name.startsWith('system:')
