import { type Rollout, rollout, rolloutSourceKinds } from '../../foundations/kinds/rollout.ts'
import { rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/**
 * Routes messages for Rollouts: a new artifact of a source, and an order to a run, need a pass. On AWS the function of HelmReleases makes them: the bundle
 * of the one for ResourceSets has reached its size limit.
 */
export const rolloutAddress: AddressOf<Rollout> = {
  kind: rollout,
  stage: 'helmrelease',
  reactsTo: [...rolloutSourceKinds, rolloutRun.kind],
  selects: [rolloutRun.kind],
  followsSpecsOf: [rolloutRun.kind],
}
