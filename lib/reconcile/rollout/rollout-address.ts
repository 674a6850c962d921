import { type Rollout, rollout, rolloutSourceKinds } from '../../foundations/kinds/rollout.ts'
import { rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import type { AddressOf } from '../runtime/reconciler.ts'

/** Routes messages for Rollouts: a new artifact of a source, and an order to a run, need a pass. */
export const rolloutAddress: AddressOf<Rollout> = {
  kind: rollout,
  stage: 'resourceset',
  reactsTo: [...rolloutSourceKinds, rolloutRun.kind],
  selects: [rolloutRun.kind],
}
