import type { ClusterClient } from '../../clusters/client/client.ts'
import { KubeconfigError } from '../../clusters/client/kubeconfig-error.ts'
import { kubeconfigOf } from '../../clusters/client/kubeconfig-secret.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { namedTarget, type TargetReference } from '../../foundations/kinds/target-reference.ts'
import { actingAccount, impersonationOf } from '../../hub/references/acting-account.ts'
import { configMapKind, secretKind } from '../../hub/references/references.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { orFailure } from './failure.ts'
import { namespaceOf } from './names.ts'

export interface ReleaseTarget {
  readonly cluster: ClusterClient
  /** How the cluster is reached; absent for the hub. */
  readonly reference?: TargetReference | undefined
  /** The HelmRelease's namespace on the cluster. */
  readonly namespace: string
}

export type TargetPorts = Pick<Context, 'references' | 'clusters' | 'hubCluster' | 'settings'>

/** The Secret or ConfigMap with the access to the cluster is missing. */
export class AccessMissing extends Error {}

/**
 * The cluster of a release, with the identity to use there (HR-040, HR-041). Reads the Secret each time, so that a rotated token applies at once.
 * Fails with an error that names the Secret and the key, never their content.
 */
export const targetCluster = async (
  release: HelmRelease,
  { references, clusters, hubCluster, settings }: TargetPorts,
): Promise<ReleaseTarget> => {
  const account = actingAccount(release, settings)
  const impersonate = impersonationOf(account)
  const { kubeConfig } = release.spec
  const namespace = namespaceOf(release)
  const inherited = kubeConfig ? undefined : await references.target(release)
  const fromSecret = (secret: KubernetesObject | undefined, { name, key }: Named, as = impersonate) => {
    if (secret) return reached(() => clusters.fromKubeconfig(kubeconfigOf(secret, key), as), `${namespace}/${name}`)
    throw new AccessMissing(`could not get KubeConfig secret '${namespace}/${name}': secrets "${name}" not found`)
  }
  const fromConfigMap = (configMap: KubernetesObject | undefined, { name }: Named, as = impersonate) => {
    if (configMap) return clusters.fromConfigMap(configMap, as)
    throw new AccessMissing(`failed to get configmap ${namespace}/${name}: configmaps "${name}" not found`)
  }
  if (inherited) {
    const { reference, namespace } = inherited
    const from = reference.kind === 'Secret' ? fromSecret : fromConfigMap
    const there = impersonationOf(account && { ...account, namespace })
    return { reference, cluster: await from(await references.ofTarget(inherited), reference, there), namespace }
  }
  if (!kubeConfig) return { cluster: hubCluster(impersonate), namespace }
  const { secretRef, configMapRef } = kubeConfig
  const reference = namedTarget(release)
  if (configMapRef) {
    const configMap = await references.local(release, configMapKind, configMapRef.name)
    return { reference, cluster: await fromConfigMap(configMap, configMapRef), namespace }
  }
  if (!secretRef) throw new Error('spec.kubeConfig names neither a Secret nor a ConfigMap')
  const secret = await references.local(release, secretKind, secretRef.name)
  return { reference, cluster: fromSecret(secret, secretRef), namespace }
}

/** The cluster of a release for a pass, with what the pass may do there. Halts if it can't be accessed. */
export const connect = async (draft: Draft, pass: Pass<HelmRelease>, ports: TargetPorts): Promise<ReleaseTarget> => {
  const target = await orFailure(draft, 'RESTClientError', () => targetCluster(draft.release, ports))
  const cluster = await pass.confine(pass.dryRun ? pass.dryRun.cluster(target.cluster) : target.cluster)
  draft.placeIn(target.namespace)
  draft.clearReady('RESTClientError')
  return { ...target, cluster }
}

interface Named {
  readonly name: string
  readonly key?: string
}

/** Names the Secret in errors about its kubeconfig. */
const reached = (connect: () => ClusterClient, secret: string): ClusterClient => {
  try {
    return connect()
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error
    throw new KubeconfigError(`failed to load KubeConfig from secret '${secret}': ${error.message}`)
  }
}
