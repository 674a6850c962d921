import { type ImagePolicy, imagePolicy } from '../../foundations/kinds/image-policy.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for ImagePolicies, which wait for the tags of their ImageRepository. */
export const imagePolicyAddress: AddressOf<ImagePolicy> = {
  kind: imagePolicy,
  stage: 'resourceset',
  reactsTo: ['ImageRepository'],
  /** Creation, deletion, and changes of labels. The pass that finds another image reports that itself. */
  isNews: (before, after) =>
    before === undefined ||
    after === undefined ||
    !isSameJson(before.metadata.labels ?? {}, after.metadata.labels ?? {}),
}
