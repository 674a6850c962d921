import { type ImageUpdateAutomation, imageUpdateAutomation } from '../../foundations/kinds/image-update-automation.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for ImageUpdateAutomations, by repository: those of one repository share a group. */
export const imageUpdateAutomationAddress: AddressOf<ImageUpdateAutomation> = {
  kind: imageUpdateAutomation,
  stage: 'resourceset',
  groupOf: ({ spec, metadata }) =>
    spec.sourceRef && `${spec.sourceRef.namespace || metadata.namespace}/${spec.sourceRef.name}`,
  reactsTo: ['GitRepository', 'ImagePolicy'],
  // Another branch, or other credentials: what is cloned is no longer the same, whatever its revision is (IM-062).
  followsSpecsOf: ['GitRepository'],
  selects: ['ImagePolicy'],
}
