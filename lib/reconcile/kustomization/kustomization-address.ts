import { type Kustomization, kustomization as kind } from '../../foundations/kinds/kustomization.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Where messages for Kustomizations go, in the group of their target cluster; and whose news they wait for. */
export const kustomizationAddress: AddressOf<Kustomization> = {
  kind,
  stage: 'apply',
  groupOf: ({ metadata, spec }) => {
    const { secretRef, configMapRef } = spec.kubeConfig ?? {}
    return `${metadata.namespace}/${secretRef?.name ?? (configMapRef ? `configmap:${configMapRef.name}` : '')}`
  },
  isVisited: true,
  reactsTo: ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact', 'Kustomization', 'Secret', 'ConfigMap'],
}
