import {
  accessOfProfile,
  type ClusterProfile,
  inventoryGroup,
  type ProfileAccess,
  profileKubeconfig,
} from '../../clusters/client/cluster-profile.ts'
import { parseKubeconfig } from '../../clusters/client/kubeconfig.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import { accessNameOf, type Cluster } from '../../foundations/kinds/cluster.ts'
import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { namespaceOf, type References, secretKind } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { KubeConfigReference } from '../applied-objects/stored-access.ts'

export interface ProfilePorts {
  readonly references: References
  readonly hub: Pick<Hub, 'get' | 'create' | 'patch'>
}

const profileKind = { group: inventoryGroup, kind: 'ClusterProfile' }

/**
 * What units name to reach the cluster of a profile: a Secret or ConfigMap `<cluster>-access`, which is kept equal to what the profile and the
 * Secret behind it say. Fails with an error that quotes no secret; what was derived before stays then.
 */
export const profileAccess = async (
  object: Cluster,
  profileName: string,
  { references, hub }: ProfilePorts,
): Promise<KubeConfigReference> => {
  const namespace = namespaceOf(object)
  const profile = await references.local<ClusterProfile>(object, profileKind, profileName)
  if (!profile) throw new Error(`ClusterProfile ${namespace}/${profileName} not found`)
  const access = accessOfProfile(profile)
  const { name } = await keep(object, await derivedFrom(access, object, references), hub)
  return access.type === 'cloud' ? { configMapRef: { name } } : { secretRef: { name, key: 'value' } }
}

type Derived = Pick<KubernetesObject, 'kind'> & { readonly data: Readonly<Record<string, string>> }

const derivedFrom = async (access: ProfileAccess, object: Cluster, references: References): Promise<Derived> => {
  const { cluster } = access
  if (access.type === 'cloud') {
    const authority = cluster['certificate-authority-data']
    const data = {
      provider: access.provider,
      cluster: access.name,
      ...(cluster.server && { address: cluster.server }),
      ...(authority && { 'ca.crt': Buffer.from(authority, 'base64').toString() }),
    }
    return { kind: 'ConfigMap', data }
  }
  const secret = await references.local(object, secretKind, access.secret)
  if (!secret) throw new Error(`secrets "${access.secret}" not found in namespace ${namespaceOf(object)}`)
  const text = kubeconfigOf(secret, access.type === 'token' ? 'token' : access.key)
  const credential =
    access.type === 'token'
      ? { token: text }
      : parseKubeconfig(text, { ...(access.context && { context: access.context }) })
  if (!cluster.server) throw new KubeconfigError('the access provider names no server')
  const value = Buffer.from(profileKubeconfig(cluster, credential)).toString('base64')
  return { kind: 'Secret', data: { value } }
}

/** Writes the derived object, if it differs. One that is not the Cluster's own is never overwritten. */
const keep = async (object: Cluster, { kind, data }: Derived, hub: ProfilePorts['hub']): Promise<ObjectRef> => {
  const { name, uid = '' } = object.metadata
  const ref: ObjectRef = { group: '', kind, namespace: namespaceOf(object), name: accessNameOf(name) }
  const present = await hub.get<KubernetesObject>(ref)
  const isOwn = present?.metadata.ownerReferences?.some(owner => owner.uid === uid)
  if (present && !isOwn)
    throw new Error(
      `${kind} ${ref.namespace}/${ref.name} exists and is not that of Cluster ${name}: rename one of them`,
    )
  if (present && isSameJson(present.data, data)) return ref
  const owner = { apiVersion: object.apiVersion, kind: object.kind, name, uid }
  const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' }
  const metadata = { name: ref.name, namespace: ref.namespace, labels, ownerReferences: [owner] }
  const by = { fieldManager: 'keelson' }
  if (present) await hub.patch(ref, { type: 'merge', patch: { data } }, by)
  else await hub.create({ apiVersion: 'v1', kind, metadata, data } as KubernetesObject, by)
  return refOf({ apiVersion: 'v1', kind, metadata })
}
