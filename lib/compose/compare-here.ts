import type { Compared, Comparison } from '../foundations/fleet/comparison.ts'
import type { KubernetesObject, ObjectRef } from '../foundations/kinds/object.ts'
import { errorMessage } from '../foundations/rules/error-message.ts'
import type { Compare } from '../hub/live/comparison-reports.ts'
import type { Hub } from '../hub/store/hub.ts'
import type { Clock } from '../platform/ports/clock.ts'
import { dryRunAlone } from '../reconcile/runtime/dry-run-pass.ts'
import { isMistake } from '../reconcile/runtime/halt.ts'
import type { Pass } from '../reconcile/runtime/reconciler.ts'

const timeoutMs = 50_000

interface ComparisonPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly clock: Clock
}

/** Undefined if the Cluster of the unit is suspended; fails with an Error that says why it can't be compared. The pass is a dry run. */
type CompareUnit = (
  unit: KubernetesObject,
  dryPass: <T extends KubernetesObject>() => Pass<T>,
) => Promise<Comparison | undefined>

/** Compares units with their clusters, in this process: as the identity of the unit, by reads and dry runs. */
export const compareHere =
  ({ hub, clock }: ComparisonPorts, compare: CompareUnit): Compare =>
  async (ref: ObjectRef): Promise<Compared> => {
    const unit = await hub.get(ref)
    if (!unit) return { notCompared: 'it does not exist any more' }
    const signal = AbortSignal.timeout(timeoutMs)
    const given = { signal, startedAt: clock.now() }
    try {
      return (await compare(unit, () => dryRunAlone(given))) ?? { notCompared: 'its Cluster is suspended' }
    } catch (error) {
      if (isMistake(error)) throw error
      if (signal.aborted) return { notCompared: `it takes more than ${timeoutMs / 1000} seconds` }
      return { notCompared: errorMessage(error) }
    }
  }
