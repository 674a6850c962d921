import type { KubernetesObject } from '../kinds/object.ts'
import type { EksCluster, KnownCluster } from './eks-access.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** A cluster named by a ConfigMap, in Flux's keys: `provider`, `cluster`, `address`, `ca.crt`. */
export interface NamedCluster extends EksCluster {
  readonly known: KnownCluster
}

const clusterArn = /^arn:aws[\w-]*:eks:([^:]{1,100}):[0-9]{1,30}:cluster\/(.{1,200})$/

/** Reads the ConfigMap of `spec.kubeConfig.configMapRef` (KS-228). Fails with a KubeconfigError that names it and the key. */
export const namedClusterOf = ({ metadata, data }: KubernetesObject): NamedCluster => {
  const values = new Map(Object.entries((data ?? {}) as Readonly<Record<string, string>>))
  const at = `configmap ${metadata.namespace}/${metadata.name}`
  const provider = values.get('provider') ?? ''
  if (provider !== 'aws')
    throw new KubeconfigError(
      `${at}: provider '${provider}' not implemented: here it is aws, or a Secret with a kubeconfig (spec.kubeConfig.secretRef)`,
    )
  for (const key of ['serviceAccountName', 'audiences'])
    if (values.get(key))
      throw new KubeconfigError(`${at}: ${key} is not supported: the hub's own AWS identity is used; leave it out`)
  const arn = values.get('cluster') ?? ''
  const [, region, name] = clusterArn.exec(arn) ?? []
  if (!region || !name)
    throw new KubeconfigError(
      `${at}: invalid EKS cluster ARN: '${arn}'. must match ${clusterArn.source.replaceAll('\\/', '/')}`,
    )
  const address = values.get('address')
  const certificateAuthority = values.get('ca.crt')
  return {
    ...{ arn, region, name },
    known: { ...(address && { address }), ...(certificateAuthority && { certificateAuthority }) },
  }
}
