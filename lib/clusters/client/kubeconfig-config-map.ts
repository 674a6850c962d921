import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isRunnerAccess } from '../../foundations/rules/runner-access.ts'
import type { KnownCluster } from './cluster-access.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const providers = ['aws', 'azure', 'gcp', 'generic'] as const
export type ClusterProviderName = (typeof providers)[number]

/**
 * A cluster in a ConfigMap, with Flux's keys: `provider`, `cluster`, `address`, `ca.crt`, `serviceAccountName`,
 * `audiences`.
 */
export interface NamedCluster {
  readonly provider: ClusterProviderName
  /** The cloud's name of the cluster; empty if there is none. */
  readonly cluster: string
  readonly known: KnownCluster
  readonly namespace: string
  readonly serviceAccountName?: string
  readonly audiences: readonly string[]
  /** For messages. */
  readonly at: string
}

/** Reads the ConfigMap of `spec.kubeConfig.configMapRef` (KS-228 to KS-231). Fails with a KubeconfigError that names it and the key. */
export const namedClusterOf = ({ metadata, data }: KubernetesObject): NamedCluster => {
  const values = new Map(Object.entries((data ?? {}) as Readonly<Record<string, string>>))
  const namespace = metadata.namespace ?? ''
  const at = `configmap ${namespace}/${metadata.name}`
  if (isRunnerAccess({ kind: 'ConfigMap', apiVersion: 'v1', metadata, data }))
    throw new KubeconfigError(
      `${at}: only a runner reaches this cluster, and it applies Kustomizations and HelmReleases that name the ConfigMap in spec.kubeConfig`,
    )
  const provider = providers.find(name => name === values.get('provider'))
  if (!provider) {
    const named = `provider '${values.get('provider') ?? ''}' not implemented`
    throw new KubeconfigError(`${named} (from ${at}: it must be one of ${providers.join(', ')})`)
  }
  const [address, certificateAuthority] = [values.get('address'), values.get('ca.crt')]
  const serviceAccountName = values.get('serviceAccountName')
  if (serviceAccountName && provider !== 'generic')
    throw new KubeconfigError(
      `${at}: serviceAccountName is not supported with provider ${provider}: the hub's own identity is used; leave it out`,
    )
  return {
    provider,
    namespace,
    at,
    cluster: values.get('cluster') ?? '',
    known: { ...(address && { address }), ...(certificateAuthority && { certificateAuthority }) },
    audiences: (values.get('audiences') ?? '').split('\n').flatMap(line => line.trim() || []),
    ...(serviceAccountName && { serviceAccountName }),
  }
}
