import { digestOf } from '../engines/resource-set/digest.ts'
import { render } from '../engines/resource-set/render.ts'
import { Budget, type Limits } from '../foundations/budget/budget.ts'
import type { ResourceSet } from '../foundations/kinds/resource-set.ts'
import { fieldManager } from '../reconcile/resource-set/apply-rules.ts'
import { placedSteps } from '../reconcile/resource-set/place-on-hub.ts'
import { planSteps } from '../reconcile/resource-set/plan-steps.ts'
import { filled, owned } from '../reconcile/resource-set/prepare.ts'
import { resolveInputs } from '../reconcile/resource-set/resolve-inputs.ts'
import { objectsOf, secretsOf } from '../reconcile/resource-set/run.ts'
import { wasApplied } from '../reconcile/windows/applied-before.ts'
import type { HubAccess } from './hub-access.ts'
import { lookupIn, referencesIn } from './local-build.ts'
import { instantClock, type LocalPlan, localPlan } from './local-plan.ts'
import { localTargetOfSet } from './local-target.ts'
import { orCommandFailed } from './or-command-failed.ts'

/**
 * What applying a ResourceSet would change on its cluster, with the inputs that its providers in the hub export now. Fails with CommandFailed,
 * ApplyError or ClusterError.
 */
export const planResourceSet = async (
  set: ResourceSet,
  hub: HubAccess,
  { buildLimits }: { readonly buildLimits: Limits },
): Promise<LocalPlan> => {
  const { signal } = hub
  const lookup = lookupIn(hub.cluster, signal)
  const references = referencesIn(lookup)
  const inputs = await orCommandFailed(() => resolveInputs(set, references), { doing: 'failed to compute inputs: ' })
  const { cluster, sources, owner, reference, hubSide } = await localTargetOfSet(set, hub, lookup)
  const ambient = { now: Date.now, random: Math.random }
  const options = { ambient, limits: { isLate: () => signal.aborted }, budget: new Budget(buildLimits) }
  const rendered = await orCommandFailed(() => render(set.spec, inputs, options), { doing: 'build failed: ' })
  const prepared = owned(owner, placedSteps(rendered, hubSide))
  const { steps } = await orCommandFailed(() => filled(prepared, sources, signal))
  const run = { applier: set, cluster, owner, steps, clock: instantClock, signal }
  const planned = await orCommandFailed(() => planSteps(run))
  const manifests = digestOf(objectsOf(run))
  return localPlan(
    {
      ...{ unit: set, planned, disclosure: { ...secretsOf(run), fieldManager } },
      ...{ cluster, reference, revision: manifests, manifests, isRepair: wasApplied(set, manifests) },
      errors: planned.failures.map(({ message }) => message),
    },
    hub,
  )
}
