import type { EksDirectory, ListedEksCluster } from '../../clusters/client/eks-directory.ts'
import { type Cluster, cluster } from '../../foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { fleetGroup } from '../../foundations/kinds/references.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Log } from '../../platform/ports/log.ts'
import { discoveredBy, vanishedLabel } from './discover-clusters.ts'
import { eksScopesOf, type SelectedScope } from './eks-scopes.ts'

export interface EksDiscoveryPorts {
  readonly hub: Pick<Hub, 'list' | 'get' | 'patch'>
  readonly log: Pick<Log, 'info' | 'error'>
  /** Absent if this process has no identity at AWS. */
  readonly eks?: EksDirectory | undefined
}

const eks = 'eks'
const arnAnnotation = 'keelson.dev/eks-arn'
/** The role and region with which it was found: only a list of these can miss it. */
const scopeAnnotation = 'keelson.dev/eks-scope'
const by = { fieldManager: 'keelson-discovery', force: true }

/**
 * Makes a Cluster, and the ConfigMap with its access, of each EKS cluster of the accounts and regions that Namespaces name, with its tags as labels,
 * and follows their changes. One that its account no longer lists is marked, and unmarked when it is back; where a list fails nothing is marked.
 */
export const discoverEksClusters = async (ports: EksDiscoveryPorts): Promise<void> => {
  const { hub, log } = ports
  const namespaces = await hub.list<KubernetesObject>({ group: '', kind: 'Namespace' })
  for (const namespace of namespaces.items) {
    if (namespace.metadata.deletionTimestamp) continue
    try {
      const scopes = eksScopesOf(namespace)
      if (scopes.length > 0) await discoverIn(namespace.metadata.name, scopes, ports)
    } catch (error) {
      log.error('failed to discover EKS clusters', { namespace: namespace.metadata.name, error: errorMessage(error) })
    }
  }
}

const discoverIn = async (
  namespace: string,
  scopes: readonly SelectedScope[],
  ports: EksDiscoveryPorts,
): Promise<void> => {
  const { hub, log, eks: list } = ports
  if (!list) throw new Error('this hub has no AWS identity')
  const found = new Map<string, Found>()
  /** Scopes that were read completely. */
  const complete = new Set<string>()
  for (const { tags, ...scope } of scopes) {
    try {
      const listed = await list(scope)
      const key = scopeKey(scope)
      complete.add(key)
      for (const one of listed) if (hasTags(one, tags)) found.set(one.arn, { ...one, scope: key })
    } catch (error) {
      const { region, roleArn } = scope
      log.error('failed to list EKS clusters', {
        namespace,
        region,
        ...(roleArn && { roleArn }),
        error: errorMessage(error),
      })
    }
  }
  const known = await hub.list<Cluster>({ group: cluster.group, kind: cluster.kind, namespace })
  const taken = new Map(known.items.map(one => [one.metadata.name, one]))
  for (const one of known.items) await markIfVanished(one, found, complete, hub)
  for (const one of found.values()) {
    const name = nameOf(one)
    const other = taken.get(name)
    if (other && other.metadata.annotations?.[arnAnnotation] !== one.arn)
      log.info('not discovered: there is another Cluster of this name', { namespace, name, arn: one.arn })
    else if (one.address) await follow(one, namespace, name, hub)
  }
}

/** A cluster, and the scope in which it was found. */
type Found = ListedEksCluster & { readonly scope: string }

const scopeKey = ({ roleArn = 'own', region }: Omit<SelectedScope, 'tags'>): string => `${roleArn} ${region}`

const hasTags = ({ tags }: ListedEksCluster, wanted: SelectedScope['tags']): boolean =>
  Object.entries(wanted).every(([key, value]) => tags[key] === value)

const markIfVanished = async (
  { metadata }: Cluster,
  found: ReadonlyMap<string, Found>,
  complete: ReadonlySet<string>,
  hub: EksDiscoveryPorts['hub'],
): Promise<void> => {
  const { annotations = {}, labels = {}, namespace = '', name } = metadata
  const arn = annotations[arnAnnotation]
  if (annotations[discoveredBy] !== eks || !arn) return
  const isGone = !found.has(arn)
  if (isGone && !complete.has(annotations[scopeAnnotation] ?? '')) return
  if ((labels[vanishedLabel] !== undefined) === isGone) return
  const patch = { metadata: { labels: { [vanishedLabel]: isGone ? 'true' : null } } }
  const ref = { group: cluster.group, kind: cluster.kind, namespace, name }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'keelson' })
}

/** Server-side apply of what is unchanged writes nothing; the ConfigMap comes first, as the Cluster refers to it. */
const follow = async (one: Found, namespace: string, name: string, hub: EksDiscoveryPorts['hub']) => {
  const { arn, scope, address = '', certificateAuthority = '' } = one
  const annotations = { [discoveredBy]: eks, [arnAnnotation]: arn, [scopeAnnotation]: scope }
  const ref = { group: '', kind: 'ConfigMap', namespace, name }
  const data = { provider: 'aws', cluster: arn, address, 'ca.crt': certificateAuthority }
  const access = await hub.get<KubernetesObject & { readonly data?: object }>(ref)
  if (!isSameJson(access?.data ?? {}, data)) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, annotations }, data }
    await hub.patch(ref, { type: 'apply', object }, by)
  }
  const object: Cluster = {
    apiVersion: `${fleetGroup}/v1alpha1`,
    kind: cluster.kind,
    metadata: { name, namespace, labels: labelsOf(one), annotations },
    spec: { kubeConfig: { configMapRef: { name } } },
  }
  await hub.patch({ group: cluster.group, kind: cluster.kind, namespace, name }, { type: 'apply', object }, by)
}

/** Unique over accounts and regions. Names of EKS may have capitals and underscores. */
const nameOf = ({ name, region, account }: ListedEksCluster): string =>
  `${name.toLowerCase().replaceAll('_', '-').replace(/-+$/, '')}-${region}-${account}`

const labelsOf = ({ name, region, account, tags }: ListedEksCluster): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    Object.entries(tags)
      .map(([key, value]) => [asLabel(key, /[^A-Za-z0-9/._-]/g), asLabel(value, /[^A-Za-z0-9._-]/g)] as const)
      .filter(([key]) => labelKey.test(key) && !reserved.test(key)),
  ),
  [`${fleetGroup}/eks-cluster`]: asLabel(name, /[^A-Za-z0-9._-]/g),
  [`${fleetGroup}/account`]: account,
  'topology.kubernetes.io/region': region,
})

const asLabel = (text: string, invalid: RegExp): string =>
  text
    .replaceAll(invalid, '-')
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')

const labelKey = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/
/** Labels by which Flux, Kubernetes and the hub know their own objects; tags of AWS itself begin with `aws:`. */
const reserved = /^aws-|^([a-z0-9-]+\.)*(fluxcd\.io|fluxcd\.controlplane\.io|kubernetes\.io|k8s\.io|keelson\.dev)\//
