import { type Fleet, type FleetObjects, fleetOf } from '../../../foundations/fleet/fleet-clusters.ts'
import { bucket } from '../../../foundations/kinds/bucket.ts'
import { cluster } from '../../../foundations/kinds/cluster.ts'
import { externalArtifact } from '../../../foundations/kinds/external-artifact.ts'
import { gitRepository } from '../../../foundations/kinds/git-repository.ts'
import { helmChart } from '../../../foundations/kinds/helm-chart.ts'
import { helmRelease } from '../../../foundations/kinds/helm-release.ts'
import { helmRepository } from '../../../foundations/kinds/helm-repository.ts'
import type { Kind } from '../../../foundations/kinds/kind.ts'
import { kustomization } from '../../../foundations/kinds/kustomization.ts'
import { namespace as namespaceKind } from '../../../foundations/kinds/namespace.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { ociRepository } from '../../../foundations/kinds/oci-repository.ts'
import { resourceSet } from '../../../foundations/kinds/resource-set.ts'
import { resourceSetInputProvider } from '../../../foundations/kinds/resource-set-input-provider.ts'
import { rollout } from '../../../foundations/kinds/rollout.ts'
import type { User } from '../../authorize/access.ts'
import { ApiError } from '../../store/hub.ts'
import { parseLabelSelector } from '../../store/label-selector.ts'
import type { Authorize } from '../authentication/caller.ts'
import { requireAllowed } from '../require-allowed.ts'
import type { FleetIndex, IndexedKind } from './fleet-index.ts'

const asKinds = (...kinds: readonly unknown[]): readonly Kind[] => kinds as readonly Kind[]

const [clusterKind, ...unitKinds] = asKinds(cluster, kustomization, helmRelease, resourceSet) as [Kind, ...Kind[]]
/** What units depend on. */
export const sourceKinds: readonly Kind[] = asKinds(
  ...[gitRepository, ociRepository, bucket, helmRepository, helmChart, externalArtifact, resourceSetInputProvider],
)

/** What is counted besides units and clusters. */
export const countedKinds: readonly Kind[] = [...sourceKinds, ...asKinds(rollout)]

/** All that reports read. */
export const fleetKinds: readonly Kind[] = [clusterKind, ...unitKinds, ...countedKinds, ...asKinds(namespaceKind)]

export interface FleetScope {
  /** All namespaces if absent. */
  readonly namespace?: string
  /** In all namespaces: what the caller may list in some is shown, instead of refused. */
  readonly isPermittedOnly: boolean
  /** Of units, as of kubectl. */
  readonly labelSelector?: string
}

/** A fleet as far as its caller may list it. */
export interface VisibleFleet {
  readonly fleet: Fleet
  readonly sources: readonly KubernetesObject[]
  /** What was refused, a message for each kind, as kubectl shows it. */
  readonly refused: readonly string[]
  /** Equal for the same objects and the same refusals. */
  readonly key: string
}

export interface Viewer {
  readonly user: User
  readonly authorize: Authorize
}

/** The objects of a scope that the caller may list, kind by kind. Fails with BadRequest for an invalid selector. */
export const visibleFleet = async (
  index: FleetIndex,
  viewer: Viewer,
  scope: FleetScope,
  sourcesOf: readonly Kind[],
): Promise<VisibleFleet> => {
  const matches = scope.labelSelector === undefined ? () => true : parseLabelSelector(scope.labelSelector)
  const [clusters, ...others] = await Promise.all(
    [clusterKind, ...unitKinds, ...sourcesOf].map(kind => visible(index, viewer, scope, kind)),
  )
  const units = others.slice(0, unitKinds.length)
  const sources = others.slice(unitKinds.length)
  const namespaces = await visibleNamespaces(index, viewer, scope)
  const objects: FleetObjects = {
    clusters: clusters!.objects as FleetObjects['clusters'],
    units: units.flatMap(({ objects }) => objects).filter(({ metadata }) => matches(metadata.labels ?? {})),
    namespaces: namespaces.objects,
  }
  const all = [clusters!, ...others, namespaces]
  return {
    fleet: fleetOf(objects),
    sources: sources.flatMap(({ objects }) => objects),
    refused: all.flatMap(({ refused }) => refused ?? []),
    key: JSON.stringify(all.map(({ key }) => key)),
  }
}

interface Visible {
  readonly objects: readonly KubernetesObject[]
  readonly refused?: string
  readonly key: string
}

const visible = async (index: FleetIndex, viewer: Viewer, scope: FleetScope, kind: Kind): Promise<Visible> => {
  const refused = await refusalOf(viewer, kind, scope.namespace ?? '')
  if (refused !== undefined && !(scope.isPermittedOnly && scope.namespace === undefined))
    return { objects: [], refused, key: refused }
  const indexed = await index.read(kind)
  if (refused === undefined) return shown(indexed, scope.namespace === undefined ? undefined : [scope.namespace])
  const permitted: string[] = []
  for (const namespace of indexed.byNamespace.keys())
    if ((await refusalOf(viewer, kind, namespace)) === undefined) permitted.push(namespace)
  return shown(indexed, permitted)
}

const shown = ({ byNamespace, version }: IndexedKind, namespaces: readonly string[] | undefined): Visible => ({
  objects: (namespaces ?? [...byNamespace.keys()]).flatMap(name => [...(byNamespace.get(name)?.values() ?? [])]),
  key: JSON.stringify([version, namespaces]),
})

/** Why the caller may not list a kind; undefined if they may. */
export const refusalOf = async (
  { user, authorize }: Viewer,
  kind: Kind,
  namespace: string,
): Promise<string | undefined> => {
  const { group, plural, versions } = kind
  const resource = { group, version: versions[0]!.name, resource: plural, subresource: '', namespace, name: '' }
  try {
    await requireAllowed({ user, verb: 'list', path: '', resource }, authorize)
    return undefined
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/** For their annotations, which say where units apply. To who may not read them, units that inherit a cluster are on the hub itself. */
const visibleNamespaces = async (index: FleetIndex, viewer: Viewer, scope: FleetScope): Promise<Visible> => {
  const { byNamespace, version } = await index.read(namespaceKind as unknown as Kind)
  const all = [...(byNamespace.get('')?.values() ?? [])]
  if (scope.namespace === undefined && (await mayRead(viewer, 'list', ''))) return { objects: all, key: version }
  const objects: KubernetesObject[] = []
  for (const object of all) {
    const { name } = object.metadata
    const isWanted = scope.namespace === undefined ? scope.isPermittedOnly : name === scope.namespace
    if (isWanted && (await mayRead(viewer, 'get', name))) objects.push(object)
  }
  return { objects, key: JSON.stringify([version, objects.map(({ metadata }) => metadata.name)]) }
}

const mayRead = async ({ user, authorize }: Viewer, verb: 'get' | 'list', name: string): Promise<boolean> => {
  const resource = { group: '', version: 'v1', resource: 'namespaces', subresource: '', namespace: '', name }
  return (await authorize({ user, verb, path: '', resource })).allowed
}
