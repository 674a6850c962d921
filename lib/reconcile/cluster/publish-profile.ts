import {
  type AccessProvider,
  type ClusterProfile,
  execExtension,
  inventoryGroup,
  inventoryVersion,
} from '../../clusters/client/cluster-profile.ts'
import { parseKubeconfig } from '../../clusters/client/kubeconfig.ts'
import { namedClusterOf } from '../../clusters/client/kubeconfig-config-map.ts'
import type { Cluster } from '../../foundations/kinds/cluster.ts'
import type { Condition, KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { conditionOf, type NewCondition, timestamp } from '../../foundations/rules/conditions.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { StoredAccess } from '../applied-objects/stored-access.ts'
import { controlPlaneHealthy } from './control-plane-report.ts'
import type { ProfilePorts } from './profile-access.ts'

/** Keelson's name as a manager of clusters. */
const manager = 'keelson'
const managerLabel = 'x-k8s.io/cluster-manager'

export interface Published {
  readonly healthy: NewCondition
  readonly server: string
  readonly version?: string | undefined
}

/**
 * Keeps a ClusterProfile for a Cluster: its labels, version and health, and where the credential is, never the credential. Does nothing if the hub
 * has no such kind, and leaves alone a profile of the same name that another manager has. Writes only what differs.
 */
export const publishProfile = async (
  object: Cluster,
  access: StoredAccess,
  { healthy, server, version }: Published,
  { hub }: Pick<ProfilePorts, 'hub'>,
  now: number,
): Promise<void> => {
  const { name, labels = {}, uid = '' } = object.metadata
  const ref: ObjectRef = { group: inventoryGroup, kind: 'ClusterProfile', namespace: namespaceOf(object), name }
  const by = { fieldManager: manager }
  try {
    const present = await hub.get<ClusterProfile>(ref)
    if (present && present.spec.clusterManager.name !== manager) return
    const wanted = { ...labels, [managerLabel]: manager }
    if (!present) {
      const ownerReferences = [{ apiVersion: object.apiVersion, kind: object.kind, name, uid }]
      const metadata = { name, namespace: ref.namespace, labels: wanted, ownerReferences }
      const spec = { displayName: name, clusterManager: { name: manager } }
      await hub.create({ apiVersion: inventoryVersion, kind: ref.kind, metadata, spec } as KubernetesObject, by)
    } else if (!isSameJson(present.metadata.labels ?? {}, wanted)) {
      const gone = Object.keys(present.metadata.labels ?? {}).filter(key => !(key in wanted))
      const patched = { ...wanted, ...Object.fromEntries(gone.map(key => [key, null])) }
      await hub.patch(ref, { type: 'merge', patch: { metadata: { labels: patched } } }, by)
    }
    const before = present?.status as { readonly conditions?: readonly Condition[] } | undefined
    const status = {
      conditions: [conditionAfter(before?.conditions, healthy, now)],
      version: version ? { kubernetes: version } : {},
      accessProviders: [providerOf(object, access, server)],
    }
    if (!isSameJson(present?.status ?? {}, status))
      await hub.patch(ref, { type: 'merge', patch: { status } }, { ...by, subresource: 'status' })
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'NotFound')) throw error // the kind is not defined
  }
}

const conditionAfter = (before: readonly Condition[] | undefined, next: NewCondition, now: number): Condition => {
  const known = conditionOf(before, controlPlaneHealthy)
  const lastTransitionTime = known?.status === next.status ? known.lastTransitionTime : timestamp(now)
  return {
    type: controlPlaneHealthy,
    status: next.status,
    reason: next.reason,
    message: next.message,
    lastTransitionTime,
  }
}

/** Where consumers find the access: the kubeconfig's Secret, or the cloud's name of the cluster. */
const providerOf = (object: Cluster, { object: stored, kubeconfig }: StoredAccess, server: string): AccessProvider => {
  const { certificateAuthority, name, config } =
    kubeconfig === undefined ? ofCloud(stored) : { ...parseKubeconfig(kubeconfig), ...ofSecret(object, stored) }
  const authority = certificateAuthority && Buffer.from(certificateAuthority).toString('base64')
  return {
    name,
    cluster: {
      server,
      ...(authority && { 'certificate-authority-data': authority }),
      extensions: [{ name: execExtension, extension: config }],
    },
  }
}

const ofSecret = ({ spec }: Cluster, { metadata, data }: KubernetesObject) => {
  const keys = Object.keys((data ?? {}) as object)
  const key = spec.kubeConfig?.secretRef?.key ?? (keys.includes('value') ? 'value' : 'value.yaml')
  return { name: 'kubeconfig-secretreader', config: { name: metadata.name, namespace: metadata.namespace, key } }
}

const ofCloud = (stored: KubernetesObject) => {
  const { provider, cluster, known } = namedClusterOf(stored)
  const { certificateAuthority } = known
  return { name: provider === 'gcp' ? 'google' : provider, config: { cluster }, certificateAuthority }
}
