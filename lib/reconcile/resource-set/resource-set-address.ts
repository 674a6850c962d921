import { type ResourceSet, resourceSet } from '../../foundations/kinds/resource-set.ts'
import { kubeConfigAnnotation, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for ResourceSets, grouped by target cluster, and lists the kinds they depend on. */
export const resourceSetAddress: AddressOf<ResourceSet> = {
  kind: resourceSet,
  stage: 'resourceset',
  groupOf: ({ metadata: { namespace, annotations } }) =>
    `${namespace}/${annotations?.[kubeConfigAnnotation] ?? annotations?.[targetAnnotation] ?? ''}`,
  isVisited: true,
  reactsTo: [
    'ResourceSetInputProvider',
    'ResourceSet',
    'Kustomization',
    'HelmRelease',
    'Secret',
    'ConfigMap',
    'Namespace',
    'Approval',
    'ChangePolicy',
  ],
  selects: ['ResourceSetInputProvider', 'ChangePolicy'],
  followsSpecsOf: ['ChangePolicy'],
}
