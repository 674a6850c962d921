/** How an object names the cluster that it applies to, in its spec or in annotations. */
import type { KubernetesObject } from './object.ts'

/** On an object that applies others, or on a Namespace for all of those in it: `[KIND/][NAMESPACE/]NAME` of a kubeconfig. */
export const targetAnnotation = 'keelson.dev/target'
/** On a ResourceSet, see `parseKubeConfig`. */
export const kubeConfigAnnotation = 'resourceset.keelson.dev/kubeConfig'

/** The Secret or ConfigMap of the hub that describes how to reach a cluster. */
export interface TargetReference {
  readonly kind: 'Secret' | 'ConfigMap'
  readonly namespace: string
  readonly name: string
}

/** `Secret/apps/prod`: also the key by which accesses are compared, and runners woken. */
export const describeTarget = ({ kind, namespace, name }: TargetReference): string => `${kind}/${namespace}/${name}`

/** Parses `[KIND/][NAMESPACE/]NAME`; the namespace defaults to `ownNamespace`. Undefined for anything else. */
export const parseTarget = (text: string, ownNamespace: string): TargetReference | undefined => {
  const [, kind = 'Secret', namespace = ownNamespace, name] =
    /^(?:(Secret|ConfigMap)\/)?(?:([a-z0-9-]+)\/)?([a-z0-9][a-z0-9.-]*)$/.exec(text) ?? []
  return name ? { kind: kind as TargetReference['kind'], namespace, name } : undefined
}

/** What the annotation of a ResourceSet names, in its own namespace. */
export interface KubeConfigName extends Pick<TargetReference, 'kind' | 'name'> {
  /** Of a Secret. */
  readonly key?: string
}

/** Parses `[Secret/]NAME[:KEY]` of the Secret with a kubeconfig, or `ConfigMap/NAME`. Undefined for anything else. */
export const parseKubeConfig = (text: string): KubeConfigName | undefined => {
  const [, kind = 'Secret', name, key] = /^(?:(Secret|ConfigMap)\/)?([a-z0-9][a-z0-9.-]*)(?::(.+))?$/.exec(text) ?? []
  if (!name || (kind === 'ConfigMap' && key)) return undefined
  return { kind: kind as TargetReference['kind'], name, ...(key !== undefined && { key }) }
}

/** The value of the annotation; undefined for objects of other kinds, and if it is empty. */
export const kubeConfigOfSet = ({ kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): string | undefined =>
  (kind === 'ResourceSet' && metadata.annotations?.[kubeConfigAnnotation]) || undefined

interface Access {
  readonly kubeConfig?: {
    readonly secretRef?: { readonly name: string }
    readonly configMapRef?: { readonly name: string }
  }
}

type Targeted = KubernetesObject & { readonly spec?: Access; readonly status?: Access }

/** The cluster that an object itself names; undefined if absent or malformed. */
export const namedTarget = (object: KubernetesObject): TargetReference | undefined => {
  const { kind, metadata, spec, status } = object as Targeted
  const { namespace = '', annotations } = metadata
  // The access of a Cluster with a ClusterProfile is derived from that.
  const { secretRef, configMapRef } = spec?.kubeConfig ?? (kind === 'Cluster' ? status?.kubeConfig : undefined) ?? {}
  if (secretRef) return { kind: 'Secret', namespace, name: secretRef.name }
  if (configMapRef) return { kind: 'ConfigMap', namespace, name: configMapRef.name }
  const ofSet = kubeConfigOfSet(object)
  if (ofSet === undefined) return parseTarget(annotations?.[targetAnnotation] ?? '', namespace)
  const named = parseKubeConfig(ofSet)
  return named && { kind: named.kind, namespace, name: named.name }
}
