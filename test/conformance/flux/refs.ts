import type { ObjectRef } from '../../../lib/foundations/kinds/object.ts'
import { groupOf } from '../../../lib/foundations/kinds/object.ts'

/** One object of a scenario: which cluster, which version. */
export interface Named {
  readonly cluster: 'hub' | 'target'
  readonly apiVersion: string
  readonly ref: ObjectRef
}

const fluxKinds: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  ks: ['kustomize.toolkit.fluxcd.io/v1', 'Kustomization'],
  git: ['source.toolkit.fluxcd.io/v1', 'GitRepository'],
  oci: ['source.toolkit.fluxcd.io/v1', 'OCIRepository'],
  hr: ['source.toolkit.fluxcd.io/v1', 'HelmRepository'],
  rel: ['helm.toolkit.fluxcd.io/v2', 'HelmRelease'],
  hc: ['source.toolkit.fluxcd.io/v1', 'HelmChart'],
  ea: ['source.toolkit.fluxcd.io/v1', 'ExternalArtifact'],
  rset: ['fluxcd.controlplane.io/v1', 'ResourceSet'],
  rsip: ['fluxcd.controlplane.io/v1', 'ResourceSetInputProvider'],
}

const clusterScoped =
  /^(Namespace|ClusterRole|ClusterRoleBinding|CustomResourceDefinition|ValidatingAdmissionPolicy\w*|\w+Class|PersistentVolume)$/

export const isClusterScoped = (kind: string): boolean => clusterScoped.test(kind)

/** `[target!][apiVersion:]Kind/[namespace/]name`. */
export const objectNamed = (text: string, namespace: string): Named => {
  const [, target, version, short = '', rest = ''] = /^(target!)?(?:([^:]+):)?(\w+)\/(.+)$/.exec(text) ?? []
  const [apiVersion, kind] = fluxKinds[short] ?? [version ?? 'v1', short]
  const [name = '', own = namespace] = rest.split('/').reverse()
  return {
    cluster: target ? 'target' : 'hub',
    apiVersion,
    ref: { group: groupOf(apiVersion), kind, namespace: isClusterScoped(kind) ? '' : own, name },
  }
}

/** `hub apps/v1/Deployment/ns/name`, as the recordings call live objects. */
export const liveObject = (key: string): Named => {
  const [, cluster, apiVersion = '', kind = '', namespace = '', name = ''] =
    /^(hub|target) (.+)\/(\w+)\/([^/]*)\/([^/]+)$/.exec(key) ?? []
  return {
    cluster: cluster as 'hub' | 'target',
    apiVersion,
    ref: { group: groupOf(apiVersion), kind, namespace, name },
  }
}
