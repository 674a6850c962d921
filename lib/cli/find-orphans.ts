import { isDestructive } from '../clusters/apply/deletion-contents.ts'
import { policies } from '../clusters/apply/policies.ts'
import { type ApiResource, type ClusterClient, ClusterError } from '../clusters/client/client.ts'
import { limiter } from '../clusters/client/limiter.ts'
import { protectingClient } from '../clusters/client/protecting-client.ts'
import { clusterNameOf, type FleetCluster, type FleetObjects, fleetOf } from '../foundations/fleet/fleet-clusters.ts'
import { type Orphan, type OwnedObjects, orphansIn } from '../foundations/fleet/orphans.ts'
import { ownerGroups } from '../foundations/fleet/owner-labels.ts'
import type { Cluster } from '../foundations/kinds/cluster.ts'
import { operatorGroup } from '../foundations/kinds/flux-operator.ts'
import { namespace as namespaceKind } from '../foundations/kinds/namespace.ts'
import { describeKind, type KubernetesObject, refOf } from '../foundations/kinds/object.ts'
import { helmGroup, kustomizeGroup } from '../foundations/kinds/references.ts'
import { describeTarget } from '../foundations/kinds/target-reference.ts'
import { isSameCluster } from '../foundations/rules/cluster-binding.ts'
import { restraintOf } from '../reconcile/windows/restraint.ts'
import { CommandFailed } from './command-failed.ts'
import type { HubAccess } from './hub-access.ts'
import { onClusters } from './open-cluster.ts'
import { fleetKinds, fleetObjectsIn, listKind, listKinds, refusalsIn } from './read-fleet.ts'

/** An orphan, by which client it can be deleted, and why it is not to be. */
export interface FoundOrphan extends Orphan {
  readonly client: ClusterClient
  /** Absent if it may be deleted. */
  readonly kept?: string
}

export interface FoundOrphans {
  readonly orphans: readonly FoundOrphan[]
  /** What could not be read or decided, a line each. */
  readonly problems: readonly string[]
}

interface Read extends OwnedObjects {
  readonly client: ClusterClient
  readonly problems: readonly string[]
}

/** The orphans of all clusters. Fails if the caller may not list all units: then none of them is known to be missing. */
export const findOrphans = async (hub: HubAccess): Promise<FoundOrphans> => {
  const { clusters } = fleetOf(await readHub(hub))
  const byAccess = [...new Map(clusters.map(at => [describeTarget(at.access), at])).values()]
  const { found: read, failed } = await onClusters(hub, byAccess, async (client, at) => [
    await readOwned(client, at, hub.signal),
  ])
  const after = await readHub(hub)
  const { found, undecided } = orphansIn(after, read)
  const orphans: FoundOrphan[] = []
  for (const orphan of found) {
    const { client } = read.find(({ at }) => at === orphan.at)!
    const kept = await whyKept(orphan, client, { hub: after, read })
    orphans.push({ ...orphan, client, ...(kept !== undefined && { kept }) })
  }
  const notReady = undecided.map(
    unit => `${unit}: is not Ready, or on a cluster that could not be read: what is not in its inventory is not shown`,
  )
  return { orphans, problems: [...failed, ...read.flatMap(({ problems }) => problems), ...notReady] }
}

const everywhere = { namespace: '', allNamespaces: true }

const readHub = async (hub: HubAccess): Promise<FleetObjects> => {
  const [listed, namespaces] = await Promise.all([
    listKinds(hub, everywhere, fleetKinds),
    listKind(hub, everywhere, namespaceKind),
  ])
  const refused = refusalsIn([...listed, namespaces])
  if (refused.length > 0)
    throw new CommandFailed(
      `only who may list all units and Namespaces of the hub can know what belongs to none of them:\n${refused.join('\n')}`,
      { exitCode: 2 },
    )
  return fleetObjectsIn(listed, namespaces.items)
}

/** Requests to a cluster at a time. */
const maxConcurrency = 8

const apiVersionOf = ({ group, version }: ApiResource): string => (group ? `${group}/${version}` : version)

/** What has labels of an owner on a cluster, and the units that a Flux on it has itself. */
const readOwned = async (client: ClusterClient, at: FleetCluster, signal: AbortSignal): Promise<Read> => {
  const limited = limiter(maxConcurrency)
  const [identity, kinds] = await Promise.all([client.identity(), client.resources({ signal })])
  const list = (resource: ApiResource, labelSelector?: string) => {
    const query = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadataOnly: true }
    return limited(
      async () => (await client.list({ ...query, ...(labelSelector && { labelSelector }) }, { signal })).items,
    )
  }
  const problems: string[] = []
  const deletable = kinds.filter(({ verbs }) => verbs.includes('list') && verbs.includes('delete'))
  const lists = deletable.flatMap(resource =>
    ownerGroups.map(async ([group], first) => {
      try {
        return await list(resource, `${group}/name`)
      } catch (error) {
        if (!(error instanceof ClusterError) || error.code !== 'forbidden') throw error
        if (first === 0) problems.push(`${clusterNameOf(at)}: ${describeKind(resource)} is not shown: ${error.message}`)
        return []
      }
    }),
  )
  const local = kinds.filter(({ group, kind }) => isUnit(group, kind)).map(resource => list(resource))
  const [objects, units] = await Promise.all([Promise.all(lists), Promise.all(local)])
  const localUnits = new Set(units.flat().map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`))
  return { at, identity, objects: objects.flat(), localUnits, client, problems }
}

const groupOfUnits: Readonly<Record<string, string>> = {
  Kustomization: kustomizeGroup,
  HelmRelease: helmGroup,
  ResourceSet: operatorGroup,
}

const isUnit = (group: string, kind: string): boolean => groupOfUnits[kind] === group

interface Surroundings {
  readonly hub: FleetObjects
  readonly read: readonly OwnedObjects[]
}

/** Why an orphan is not to be deleted: it says so itself, its kind holds more than itself, or a Cluster or a window forbids it now. */
const whyKept = async (
  { at, identity, object, owner, unit }: Orphan,
  client: ClusterClient,
  { hub, read }: Surroundings,
): Promise<string | undefined> => {
  const ref = refOf(object)
  const group = groupOfUnits[owner.kind]!
  if (policies(group).isKept(object)) return `its labels or annotations of ${group} say so`
  if (object.metadata.annotations?.['helm.sh/resource-policy'] === 'keep') return 'helm.sh/resource-policy: keep'
  if (isDestructive(ref)) return `more than itself would be lost with a ${ref.kind}`
  const accesses = read.filter(one => isSameCluster(one.identity, identity)).map(one => describeTarget(one.at.access))
  const clusters = fleetOf(hub)
    .clusters.filter(({ access }) => accesses.includes(describeTarget(access)))
    .flatMap(({ cluster }) => cluster ?? [])
  for (const one of [unit, ownerless(at, owner.kind)].filter(one => one !== undefined)) {
    const { suspended, holds, protections } = await restraintOf(one, referencesIn(hub, clusters), Date.now())
    const held = suspended ?? holds.Deletions
    if (held) return held.why
    try {
      await protectingClient(client, protections).requireDeletable?.(ref, {})
    } catch (error) {
      if (error instanceof ClusterError) return error.message
      throw error
    }
  }
  return undefined
}

/** A unit that does not exist, for the windows and the protected kinds of the cluster itself. */
const ownerless = ({ access: { kind, namespace, name } }: FleetCluster, of: string): KubernetesObject => ({
  apiVersion: '',
  kind: of,
  metadata: { namespace, name: '' },
  spec: { kubeConfig: { [kind === 'Secret' ? 'secretRef' : 'configMapRef']: { name } } },
})

const referencesIn = (
  { namespaces }: FleetObjects,
  clusters: readonly Cluster[],
): Parameters<typeof restraintOf>[1] => ({
  ownNamespace: async ({ metadata }) => namespaces.find(({ metadata: { name } }) => name === metadata.namespace),
  clustersWith: async () => clusters,
})
