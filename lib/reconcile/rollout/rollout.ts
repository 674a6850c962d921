import type { Limits } from '../../foundations/budget/budget.ts'
import { type Rollout, restIntervalOf } from '../../foundations/kinds/rollout.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { OffThread } from '../../platform/ports/off-thread.ts'
import type { Reconciler } from '../runtime/reconciler.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import type { DrivePorts } from './drive-run.ts'
import { nameIn } from './name-in-namespace.ts'
import { rolloutAddress } from './rollout-address.ts'

export interface RolloutPorts extends DrivePorts {
  readonly hub: Pick<Hub, 'list' | 'create' | 'patch' | 'delete'>
  readonly references: Pick<References, 'anywhere' | 'local' | 'ownNamespace'>
  readonly refetch: Refetch
  readonly offThread?: OffThread | undefined
}

export interface RolloutSettings extends CrossNamespaceSettings {
  readonly buildLimits: Limits
  /** Time between two observations while units are under way, in milliseconds: the least right after units got pins, and the most. */
  readonly pollMs: { readonly least: number; readonly most: number }
  /** The same while only gates, or a person, are waited for. */
  readonly gatePollMs: number
}

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
