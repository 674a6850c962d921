import { type Rollout, rollout, rolloutSourceKinds } from '../../foundations/kinds/rollout.ts'
import { rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { rolloutStrategy } from '../../foundations/kinds/rollout-strategy.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/**
 * Routes messages for Rollouts: a new artifact of a source, an order to a run, and another strategy, need a pass. On AWS the function of HelmReleases makes them: the bundle
 * of the one for ResourceSets has reached its size limit.
 */
export const rolloutAddress: AddressOf<Rollout> = {
  kind: rollout,
  stage: 'helmrelease',
  reactsTo: [...rolloutSourceKinds, rolloutRun.kind, rolloutStrategy.kind],
  selects: [rolloutRun.kind],
  followsSpecsOf: [rolloutRun.kind, rolloutStrategy.kind],
}
