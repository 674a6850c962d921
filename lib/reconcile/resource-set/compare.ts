import { digestOf } from '../../engines/resource-set/digest.ts'
import type { Comparison } from '../../foundations/fleet/comparison.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { comparisonOf } from '../applied-objects/comparison-of.ts'
import type { ClusterPorts } from '../applied-objects/reach-cluster.ts'
import type { LeasePorts } from '../runtime/lease-holding.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { wasApplied } from '../windows/applied-before.ts'
import { runRestrained } from '../windows/run-restrained.ts'
import { fieldManager } from './apply-rules.ts'
import type { ResourceSetPorts } from './context.ts'
import { placedSteps } from './place-on-hub.ts'
import { planSteps } from './plan-steps.ts'
import { filled, owned } from './prepare.ts'
import { type RenderingContext, renderSet } from './render-set.ts'
import { objectsOf, secretsOf } from './run.ts'
import { connect } from './target-cluster.ts'

/**
 * Compares the cluster of a ResourceSet with what the set renders now, with its inputs and the data that it copies: hardly any set keeps what it has applied
 * (decision 73). The pass must be a dry run. Undefined if its Cluster is suspended; fails with an Error that says why it can't be compared.
 */
export const compareResourceSet = (
  set: ResourceSet,
  dryPass: Pass<ResourceSet>,
  { settings, ...ports }: ClusterPorts & LeasePorts & RenderingContext & Pick<ResourceSetPorts, 'dataOfHub'>,
): Promise<Comparison | undefined> =>
  runRestrained(ports, set, dryPass, async (unit, pass) => {
    const { clock } = ports
    const { signal } = pass
    const { cluster, owner, hubSide, sources } = await connect(unit, { ...ports, settings }, pass)
    const { rendered } = await renderSet(unit, pass, { ...ports, settings })
    const { steps } = await filled(owned(owner, placedSteps(rendered, hubSide)), sources, signal)
    const planned = await planSteps({ applier: unit, cluster, owner, steps, clock, signal })
    const digest = digestOf(objectsOf({ steps }))
    const desired = wasApplied(unit, digest) ? 'AppliedLast' : 'RenderedNow'
    const refused = planned.failures.map(({ message }) => message)
    return comparisonOf(
      { ...planned, desired, revision: digest, refused },
      { ...secretsOf({ steps }), fieldManager },
      clock.now(),
    )
  })
