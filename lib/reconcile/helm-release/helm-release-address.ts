import { type HelmRelease, helmRelease as kind } from '../../foundations/kinds/helm-release.ts'
import { targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** The queue stage and group of messages for HelmReleases, by target cluster, and the objects whose changes they wait for. */
export const helmReleaseAddress: AddressOf<HelmRelease> = {
  kind,
  stage: 'helmrelease',
  groupOf: ({ metadata, spec }) => {
    const { secretRef, configMapRef } = spec.kubeConfig ?? {}
    const inherited = metadata.annotations?.[targetAnnotation] ?? ''
    return `${metadata.namespace}/${secretRef?.name ?? (configMapRef ? `configmap:${configMapRef.name}` : inherited)}`
  },
  isVisited: true,
  reactsTo: ['HelmChart', 'OCIRepository', 'ExternalArtifact', 'HelmRelease', 'Secret', 'ConfigMap'],
}
