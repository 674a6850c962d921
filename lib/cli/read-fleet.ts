import { ClusterError } from '../clusters/client/client.ts'
import type { FleetObjects } from '../foundations/fleet/fleet-clusters.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import { cluster } from '../foundations/kinds/cluster.ts'
import { helmRelease } from '../foundations/kinds/helm-release.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { kustomization } from '../foundations/kinds/kustomization.ts'
import { namespace as namespaceKind } from '../foundations/kinds/namespace.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { resourceSet } from '../foundations/kinds/resource-set.ts'
import type { HubAccess } from './hub-access.ts'

/** Which objects a command is about. */
export interface Scope {
  readonly namespace: string
  readonly allNamespaces: boolean
  /** As of kubectl; everything if absent. */
  readonly labelSelector?: string
}

/** One kind's objects in a scope; none, with the reason, if the hub refuses to show them. */
export interface Listed {
  readonly kind: Kind
  readonly items: readonly KubernetesObject[]
  readonly resourceVersion?: string
  readonly refused?: string
}

const unitKinds: readonly Kind[] = [kustomization, helmRelease, resourceSet]
/** What a fleet consists of. */
export const fleetKinds: readonly Kind[] = [cluster, ...unitKinds]

/** Like `kubectl get` of several kinds: what is refused of one is reported, and the others are shown. */
export const listKinds = (hub: HubAccess, scope: Scope, of: readonly Kind[]): Promise<readonly Listed[]> =>
  Promise.all(of.map(kind => listKind(hub, scope, kind)))

/** The objects of one kind in a scope. Throws ClusterError for anything but a refusal. */
export const listKind = async ({ cluster, signal }: HubAccess, scope: Scope, kind: Kind): Promise<Listed> => {
  const { allNamespaces, namespace, labelSelector } = scope
  const query = {
    ...{ apiVersion: apiVersionOf(kind), kind: kind.kind },
    ...(!allNamespaces && { namespace }),
    ...(labelSelector && { labelSelector }),
  }
  try {
    return { kind, ...(await cluster.list(query, { signal })) }
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'forbidden') throw error
    return { kind, items: [], refused: error.message }
  }
}

/** The Namespaces of a scope, for their annotations. To who may not read them, units that inherit a cluster are on the hub itself. */
export const readNamespaces = async (hub: HubAccess, scope: Scope): Promise<readonly KubernetesObject[]> => {
  if (scope.allNamespaces) return (await listKind(hub, scope, namespaceKind)).items
  const ref = { group: '', kind: 'Namespace', namespace: '', name: scope.namespace }
  const own = await hub.cluster.get('v1', ref, { signal: hub.signal }).catch(() => undefined)
  return own ? [own] : []
}

const objectsIn = (listed: readonly Listed[], of: readonly Kind[]): readonly KubernetesObject[] =>
  listed.filter(({ kind }) => of.includes(kind)).flatMap(({ items }) => items)

/** The fleet that listed objects make up. */
export const fleetObjectsIn = (listed: readonly Listed[], namespaces: readonly KubernetesObject[]): FleetObjects => ({
  clusters: objectsIn(listed, [cluster]) as FleetObjects['clusters'],
  units: objectsIn(listed, unitKinds),
  namespaces,
})

/** What the hub refused to show, a line each, as kubectl says it. */
export const refusalsIn = (listed: readonly Listed[]): readonly string[] =>
  listed.flatMap(({ refused }) => (refused === undefined ? [] : [`Error from server (Forbidden): ${refused}`]))
