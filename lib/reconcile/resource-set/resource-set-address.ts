import { type ResourceSet, resourceSet } from '../../foundations/kinds/resource-set.ts'
import { kubeConfigAnnotation, targetAnnotation } from '../../foundations/kinds/target-reference.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Where messages for ResourceSets go, in the group of their target cluster; and whose news they wait for. */
export const resourceSetAddress: AddressOf<ResourceSet> = {
  kind: resourceSet,
  stage: 'resourceset',
  groupOf: ({ metadata: { namespace, annotations } }) =>
    `${namespace}/${annotations?.[kubeConfigAnnotation] ?? annotations?.[targetAnnotation] ?? ''}`,
  reactsTo: ['ResourceSetInputProvider', 'ResourceSet', 'Kustomization', 'Secret', 'ConfigMap'],
  selects: ['ResourceSetInputProvider'],
}
