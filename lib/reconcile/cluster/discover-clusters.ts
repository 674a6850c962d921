import { type Cluster, cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Log } from '../../platform/ports/log.ts'

/** On a Namespace: what makes Clusters of what is found in it. Nothing does without it. */
const discoverAnnotation = 'keelson.dev/discover-clusters'
/** On a Cluster that was discovered: by what. Others are never changed. */
export const discoveredBy = 'keelson.dev/discovered-by'
/** Label of a discovered Cluster whose Secret is gone. It stays, and so do its units. */
export const vanishedLabel = 'keelson.dev/vanished'

const clusterApi = 'cluster-api'
const nameLabel = 'cluster.x-k8s.io/cluster-name'
const by = { fieldManager: 'keelson-discovery' }

export interface DiscoveryPorts {
  readonly hub: Pick<Hub, 'list' | 'patch'>
  readonly log: Pick<Log, 'info'>
}

type Labels = Readonly<Record<string, string>>

/**
 * Makes a Cluster of each kubeconfig Secret of Cluster API (`<cluster>-kubeconfig`) in Namespaces with discovery, with the labels of the Secret,
 * and follows their changes. One whose Secret is gone is marked, and unmarked when it is back. Writes only what differs.
 */
export const discoverClusters = async ({ hub, log }: DiscoveryPorts): Promise<void> => {
  const namespaces = await hub.list<KubernetesObject>({ group: '', kind: 'Namespace' })
  for (const { metadata } of namespaces.items)
    if (metadata.annotations?.[discoverAnnotation] === clusterApi && !metadata.deletionTimestamp)
      await discoverIn(metadata.name, { hub, log })
}

const discoverIn = async (namespace: string, { hub, log }: DiscoveryPorts): Promise<void> => {
  const [secrets, clusters] = await Promise.all([
    hub.list<KubernetesObject>({ group: '', kind: 'Secret', namespace, labelSelector: nameLabel }),
    hub.list<Cluster>({ group: cluster.group, kind: cluster.kind, namespace }),
  ])
  const found = new Map(secrets.items.flatMap(secret => (isKubeconfig(secret) ? [[secret.metadata.name, secret]] : [])))
  const taken = new Set(clusters.items.map(({ metadata }) => metadata.name))
  const used = new Set(clusters.items.map(({ spec }) => spec.kubeConfig?.secretRef?.name))
  for (const one of clusters.items) {
    if (one.metadata.annotations?.[discoveredBy] !== clusterApi) continue
    const { metadata, spec } = one
    const ref = { group: cluster.group, kind: cluster.kind, namespace, name: metadata.name }
    const secret = found.get(spec.kubeConfig?.secretRef?.name ?? '')
    const isMarked = metadata.labels?.[vanishedLabel] !== undefined
    const labels = { [vanishedLabel]: secret ? null : 'true' }
    if (isMarked !== (secret === undefined))
      await hub.patch(ref, { type: 'merge', patch: { metadata: { labels } } }, { fieldManager: 'keelson' })
    // By its own field manager: labels that somebody adds stay, and one that the Secret loses goes.
    const object = secret && clusterOf(metadata.name, namespace, secret)
    if (object) await hub.patch(ref, { type: 'apply', object }, { ...by, force: true })
  }
  for (const [secretName, secret] of found) {
    const name = secret.metadata.labels![nameLabel]!
    if (used.has(secretName)) continue
    if (taken.has(name)) {
      log.info('not discovered: a Cluster of this name uses another Secret', { namespace, name, secret: secretName })
      continue
    }
    const ref = { group: cluster.group, kind: cluster.kind, namespace, name }
    await hub.patch(ref, { type: 'apply', object: clusterOf(name, namespace, secret) }, { ...by, force: true })
  }
}

/** The label may be on other Secrets of the cluster, too: its certificates. */
const isKubeconfig = ({ metadata: { name, labels, deletionTimestamp } }: KubernetesObject): boolean =>
  !deletionTimestamp && name === `${labels?.[nameLabel]}-kubeconfig`

const labelsOf = ({ metadata: { labels = {} } }: KubernetesObject): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([label]) => !/^([a-z]+\.)*fluxcd\.io\//.test(label)))

const clusterOf = (name: string, namespace: string, secret: KubernetesObject): Cluster => ({
  apiVersion: `${fleetGroup}/v1alpha1`,
  kind: cluster.kind,
  metadata: { name, namespace, labels: labelsOf(secret), annotations: { [discoveredBy]: clusterApi } },
  spec: { kubeConfig: { secretRef: { name: secret.metadata.name } } },
})
