import {
  type ResourceSetInputProvider,
  resourceSetInputProvider,
} from '../../foundations/kinds/resource-set-input-provider.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** The queue stage and group of messages for input providers, by host, and the objects whose changes they wait for. */
export const inputProviderAddress: AddressOf<ResourceSetInputProvider> = {
  kind: resourceSetInputProvider,
  stage: 'resourceset',
  groupOf: ({ spec }) => URL.parse(spec.url ?? '')?.host,
  reactsTo: ['Cluster', 'Secret', 'ExternalArtifact'],
  selects: ['Cluster', 'Secret', 'ExternalArtifact'],
  /** Creation, deletion, and changes of labels. The pass that stores exported inputs reports those itself. */
  isNews: (before, after) =>
    before === undefined ||
    after === undefined ||
    !isSameJson(before.metadata.labels ?? {}, after.metadata.labels ?? {}),
}
