import { type Rollout, restIntervalOf } from '../../foundations/kinds/rollout.ts'
import type { Reconciler } from '../runtime/reconciler.ts'
import type { RolloutPorts, RolloutSettings } from './drive-rollout.ts'
import { nameIn } from './name-in-namespace.ts'
import { rolloutAddress } from './rollout-address.ts'

export const defaultRolloutSettings = { pollMs: { least: 2_000, most: 10_000 }, gatePollMs: 60_000 }

/**
 * Brings new revisions of sources to units in stages. What does so is loaded by the first pass: the function that makes it has other work mostly.
 */
export const rolloutReconciler = (ports: RolloutPorts, settings: RolloutSettings): Reconciler<Rollout> => ({
  ...rolloutAddress,
  manager: 'keelson',
  intervalOf: restIntervalOf,
  passTimeoutOf: () => 5 * 60_000,
  reconcile: async (rollout, pass) => {
    const { driveRollout } = await import('./drive-rollout.ts')
    return driveRollout(rollout, pass, { ...ports, settings })
  },
  // Units stay pinned, and the runs that they are pinned to stay, until somebody releases them.
  finalize: async rollout => {
    await nameIn(await ports.references.ownNamespace(rollout), rollout, false, ports)
    return undefined
  },
})
