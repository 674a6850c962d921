import {
  type ResourceSetInputProvider,
  resourceSetInputProvider,
} from '../../foundations/kinds/resource-set-input-provider.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Where messages for input providers go, in the group of the host that they ask; and whose news they wait for. */
export const inputProviderAddress: AddressOf<ResourceSetInputProvider> = {
  kind: resourceSetInputProvider,
  stage: 'resourceset',
  groupOf: ({ spec }) => URL.parse(spec.url ?? '')?.host,
  reactsTo: ['Secret', 'ExternalArtifact'],
  selects: ['Secret', 'ExternalArtifact'],
  /** That it is there, or no longer, or with other labels; what it exports is told by the pass that stores it. */
  isNews: (before, after) =>
    before === undefined ||
    after === undefined ||
    !isSameJson(before.metadata.labels ?? {}, after.metadata.labels ?? {}),
}
