import { ClusterError } from '../clusters/client/client.ts'
import type { FleetObjects } from '../foundations/fleet/fleet-clusters.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import { bucket } from '../foundations/kinds/bucket.ts'
import { cluster } from '../foundations/kinds/cluster.ts'
import { externalArtifact } from '../foundations/kinds/external-artifact.ts'
import { gitRepository } from '../foundations/kinds/git-repository.ts'
import { helmChart } from '../foundations/kinds/helm-chart.ts'
import { helmRelease } from '../foundations/kinds/helm-release.ts'
import { helmRepository } from '../foundations/kinds/helm-repository.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { kustomization } from '../foundations/kinds/kustomization.ts'
import { namespace as namespaceKind } from '../foundations/kinds/namespace.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { ociRepository } from '../foundations/kinds/oci-repository.ts'
import { resourceSet } from '../foundations/kinds/resource-set.ts'
import { resourceSetInputProvider } from '../foundations/kinds/resource-set-input-provider.ts'
import type { HubAccess } from './hub-access.ts'

/** Which objects a command is about. */
export interface Scope {
  readonly namespace: string
  readonly allNamespaces: boolean
}

/** What may be read, and what the hub refused to show, a line each. */
interface Read<T> {
  readonly found: T
  readonly refused: readonly string[]
}

type AnyKind = Kind<never>

const unitKinds = [kustomization, helmRelease, resourceSet] as readonly AnyKind[]
const sourceKinds = [
  ...[gitRepository, ociRepository, bucket, helmRepository, helmChart, externalArtifact, resourceSetInputProvider],
] as readonly AnyKind[]

/** The Clusters and units of a scope. */
export const readFleet = async (hub: HubAccess, scope: Scope): Promise<Read<FleetObjects>> => {
  const [clusters, units, namespaces] = await Promise.all([
    listAll(hub, scope, [cluster as AnyKind]),
    listAll(hub, scope, unitKinds),
    readNamespaces(hub, scope),
  ])
  return {
    found: { clusters: clusters.found as FleetObjects['clusters'], units: units.found, namespaces },
    refused: [...clusters.refused, ...units.refused],
  }
}

/** What the units of a scope depend on. */
export const readSources = (hub: HubAccess, scope: Scope): Promise<Read<readonly KubernetesObject[]>> =>
  listAll(hub, scope, sourceKinds)

/** Like `kubectl get` of several kinds: what one of them is refused is reported, and the others are shown. */
const listAll = async (
  hub: HubAccess,
  scope: Scope,
  kinds: readonly AnyKind[],
): Promise<Read<readonly KubernetesObject[]>> => {
  const read = await Promise.all(kinds.map(kind => listKind(hub, scope, kind as unknown as Kind)))
  return { found: read.flatMap(({ found }) => found), refused: read.flatMap(({ refused }) => refused) }
}

const listKind = async (
  { cluster, signal }: HubAccess,
  { allNamespaces, namespace }: Scope,
  kind: Kind,
): Promise<Read<readonly KubernetesObject[]>> => {
  const query = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...(!allNamespaces && { namespace }) }
  try {
    return { found: (await cluster.list(query, { signal })).items, refused: [] }
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== 'forbidden') throw error
    return { found: [], refused: [error.message] }
  }
}

/** For their annotations. Who may not read them sees units that inherit a cluster among those of the hub itself. */
const readNamespaces = async (hub: HubAccess, { allNamespaces, namespace }: Scope) => {
  const kind = namespaceKind as unknown as Kind
  if (allNamespaces) return (await listKind(hub, { namespace: '', allNamespaces }, kind)).found
  const ref = { group: '', kind: 'Namespace', namespace: '', name: namespace }
  const own = await hub.cluster.get('v1', ref, { signal: hub.signal }).catch(() => undefined)
  return own ? [own] : []
}
