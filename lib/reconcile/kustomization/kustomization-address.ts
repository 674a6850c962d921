import { type Kustomization, kustomization as kind } from '../../foundations/kinds/kustomization.ts'
import { targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for Kustomizations, grouped by target cluster, and lists the kinds they depend on. */
export const kustomizationAddress: AddressOf<Kustomization> = {
  kind,
  stage: 'apply',
  groupOf: ({ metadata, spec }) => {
    const { secretRef, configMapRef } = spec.kubeConfig ?? {}
    const inherited = metadata.annotations?.[targetAnnotation] ?? ''
    return `${metadata.namespace}/${secretRef?.name ?? (configMapRef ? `configmap:${configMapRef.name}` : inherited)}`
  },
  isVisited: true,
  reactsTo: ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact', 'Kustomization', 'Secret', 'ConfigMap'],
}
