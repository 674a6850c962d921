import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { targetAnnotation } from '../../foundations/kinds/target-reference.ts'

interface Targeted {
  readonly metadata: KubernetesObject['metadata']
  readonly spec: {
    readonly kubeConfig?: {
      readonly secretRef?: { readonly name: string }
      readonly configMapRef?: { readonly name: string }
    }
  }
}

/** The fairness group of an object's messages: its target cluster, by the Secret or ConfigMap that it names, or by its annotation. */
export const clusterGroupOf = ({ metadata, spec }: Targeted): string => {
  const { secretRef, configMapRef } = spec.kubeConfig ?? {}
  const inherited = metadata.annotations?.[targetAnnotation] ?? ''
  return `${metadata.namespace}/${secretRef?.name ?? (configMapRef ? `configmap:${configMapRef.name}` : inherited)}`
}
