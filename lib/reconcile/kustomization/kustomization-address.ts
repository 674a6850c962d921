import { type Kustomization, kustomization as kind } from '../../foundations/kinds/kustomization.ts'
import { isHeldFrom } from '../../foundations/rules/rolled-out.ts'
import { clusterGroupOf } from '../runtime/cluster-group.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for Kustomizations, grouped by target cluster, and lists the kinds they depend on. */
export const kustomizationAddress: AddressOf<Kustomization> = {
  kind,
  stage: 'apply',
  groupOf: clusterGroupOf,
  isVisited: true,
  reactsTo: [
    'GitRepository',
    'OCIRepository',
    'Bucket',
    'ExternalArtifact',
    'Kustomization',
    'HelmRelease',
    'ResourceSet',
    'Secret',
    'ConfigMap',
    'Namespace',
    'Approval',
    'ChangePolicy',
  ],
  selects: ['ChangePolicy'],
  followsSpecsOf: ['ChangePolicy'],
  ignores: isHeldFrom,
}
