import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { dryRunPass } from '../runtime/dry-run-pass.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { sharedReads } from '../runtime/shared-reads.ts'

/** Passes over units that may not write: they share their reads with each other, and leave no trace. */
export const dryPasses = ({
  signal,
  startedAt,
  confine,
}: Pick<Pass<KubernetesObject>, 'signal' | 'startedAt' | 'confine'>): (<T extends KubernetesObject>() => Pass<T>) => {
  const dryRun = sharedReads(signal)
  return () => dryRunPass({ signal, startedAt, confine, dryRun })
}
