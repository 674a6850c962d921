import type { KubernetesObject } from '../foundations/kinds/object.ts'

type Targeted = KubernetesObject & {
  readonly spec?: {
    readonly kubeConfig?: {
      readonly secretRef?: { readonly name: string }
      readonly configMapRef?: { readonly name: string }
    }
  }
}

/** The cluster that a Flux object writes to, as its spec names it; undefined for the hub itself. */
export const targetOf = (object: KubernetesObject): string | undefined => {
  const { metadata, spec } = object as Targeted
  const { secretRef, configMapRef } = spec?.kubeConfig ?? {}
  if (secretRef) return `kubeconfig in Secret ${metadata.namespace}/${secretRef.name}`
  return configMapRef && `ConfigMap ${metadata.namespace}/${configMapRef.name}`
}
