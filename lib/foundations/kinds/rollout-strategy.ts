/** RolloutStrategy: stages and gates that several Rollouts of a namespace share. Keelson's own kind. */
import { ageColumn } from './flux.ts'
import type { Kind } from './kind.ts'
import type { KubernetesObject } from './object.ts'
import { fleetGroup } from './references.ts'
import { checkStages, strategyFields } from './rollout-stages.ts'
import { object, type TypeOf } from './schema/schema.ts'

const schema = object('Stages and gates of Rollouts that name it in strategyRef.', {
  spec: object('How a revision is rolled out. A change counts for runs that begin after it.', strategyFields),
})

export type RolloutStrategy = KubernetesObject & TypeOf<typeof schema>

export const rolloutStrategy: Kind<RolloutStrategy> = {
  group: fleetGroup,
  kind: 'RolloutStrategy',
  plural: 'rolloutstrategies',
  singular: 'rolloutstrategy',
  shortNames: [],
  categories: ['keelson'],
  namespaced: true,
  hasGeneration: true,
  check: ({ spec }) => checkStages(spec, 'spec'),
  versions: [
    {
      name: 'v1alpha1',
      storage: true,
      schema,
      columns: [
        ageColumn,
        { name: 'On failure', type: 'string', jsonPath: '.spec.onFailure' },
        { name: 'Offline', type: 'string', jsonPath: '.spec.offline' },
        { name: 'Supersede', type: 'string', jsonPath: '.spec.supersede' },
      ],
    },
  ],
}
