/** ClusterProfiles of the Cluster Inventory API (KEP-4322): how a cluster is reached, as its manager publishes it. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

export const inventoryGroup = 'multicluster.x-k8s.io'
export const inventoryVersion = `${inventoryGroup}/v1alpha1`

/** client-go's Cluster, as far as it matters. */
interface ProfiledCluster {
  readonly server?: string
  readonly 'certificate-authority-data'?: string
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
  readonly extensions?: readonly { readonly name: string; readonly extension?: unknown }[]
}

export interface AccessProvider {
  readonly name: string
  readonly cluster?: ProfiledCluster
}

export interface ClusterProfile extends KubernetesObject {
  readonly spec: { readonly displayName?: string; readonly clusterManager: { readonly name: string } }
  readonly status?: {
    readonly version?: { readonly kubernetes?: string }
    readonly accessProviders?: readonly AccessProvider[]
    /** Deprecated; an access provider of the same name goes before. */
    readonly credentialProviders?: readonly AccessProvider[]
  }
}

/** The extension that an access provider passes to its plugin. */
export const execExtension = 'client.authentication.k8s.io/exec'

/** How to reach the cluster of a profile. */
export type ProfileAccess = { readonly cluster: ProfiledCluster } & (
  | { readonly type: 'token'; readonly secret: string }
  | { readonly type: 'kubeconfig'; readonly secret: string; readonly key: string; readonly context?: string }
  | { readonly type: 'cloud'; readonly provider: 'aws' | 'azure' | 'gcp'; readonly name: string }
)

const clouds = { aws: 'aws', eks: 'aws', azure: 'azure', aks: 'azure', google: 'gcp', gcp: 'gcp', gke: 'gcp' } as const

/**
 * The first access provider of a profile that is built in. Fails with a KubeconfigError that names the profile and the providers if none is, or if
 * one refers to a Secret of another namespace. No program is run, and arguments and variables for one are ignored.
 */
export const accessOfProfile = ({ metadata, status = {} }: ClusterProfile): ProfileAccess => {
  const { namespace = '', name } = metadata
  const at = `ClusterProfile ${namespace}/${name}`
  const { accessProviders = [], credentialProviders = [] } = status
  const own = new Set(accessProviders.map(provider => provider.name))
  const all = [...accessProviders, ...credentialProviders.filter(provider => !own.has(provider.name))]
  if (all.length === 0) throw new KubeconfigError(`${at} has no access provider yet`)
  for (const { name, cluster = {} } of all) {
    const config = configOf(cluster)
    const required = (field: string): string => {
      const value = config[field]
      if (typeof value === 'string' && value) return value
      throw new KubeconfigError(`${at}: access provider ${name}: extension ${execExtension} must have '${field}'`)
    }
    if (name === 'secretreader') return { type: 'token', cluster, secret: required('clusterName') }
    if (name === 'kubeconfig-secretreader') {
      const [secret, key] = [required('name'), required('key')]
      if (config.namespace && config.namespace !== namespace)
        throw new KubeconfigError(
          `${at}: access provider ${name}: the Secret must be in the profile's own namespace, not in '${config.namespace}'`,
        )
      return { type: 'kubeconfig', cluster, secret, key, ...(config.context ? { context: required('context') } : {}) }
    }
    const provider = Object.hasOwn(clouds, name) ? clouds[name as keyof typeof clouds] : undefined
    if (provider) return { type: 'cloud', cluster, provider, name: required('cluster') }
  }
  const named = all.map(({ name }) => `'${name}'`).join(', ')
  throw new KubeconfigError(
    `${at}: none of its access providers is supported (${named}): use kubeconfig-secretreader, secretreader, aws, azure or google`,
  )
}

const configOf = ({ extensions = [] }: ProfiledCluster): Readonly<Record<string, unknown>> =>
  (extensions.find(({ name }) => name === execExtension)?.extension ?? {}) as Readonly<Record<string, unknown>>

/** A kubeconfig, as JSON, for the cluster of a profile with a credential from a Secret. Contains secrets. */
export const profileKubeconfig = (
  { server, ...cluster }: ProfiledCluster,
  { token, clientCertificate, clientKey }: Pick<ClusterAccess, 'token' | 'clientCertificate' | 'clientKey'>,
): string => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const known = ['certificate-authority-data', 'tls-server-name', 'proxy-url'] as const
  const user = {
    ...(token && { token }),
    ...(clientCertificate && { 'client-certificate-data': base64(clientCertificate) }),
    ...(clientKey && { 'client-key-data': base64(clientKey) }),
  }
  const named = Object.fromEntries(known.flatMap(field => (cluster[field] ? [[field, cluster[field]]] : [])))
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'cluster',
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: 'cluster' } }],
    clusters: [{ name: 'cluster', cluster: { server, ...named } }],
    users: [{ name: 'cluster', user }],
  })
}
