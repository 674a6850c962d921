import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Pass } from '../runtime/reconciler.ts'

/** The rendered objects, with Flux's objects adjusted to the hub if the target is inherited. */
export const placedSteps = (
  steps: readonly RenderedStep[],
  hubSide: ReachedTarget['hubSide'],
): readonly RenderedStep[] => (hubSide ? steps.map(step => ({ ...step, objects: hubSide.place(step.objects) })) : steps)

/** Like `placedSteps`, for a pass: creates missing namespaces of the hub for Flux's objects. */
export const placeOnHub = async (
  steps: readonly RenderedStep[],
  { hubSide }: Pick<ReachedTarget, 'hubSide'>,
  { signal, dryRun }: Pick<Pass<ResourceSet>, 'signal' | 'dryRun'>,
): Promise<readonly RenderedStep[]> => {
  if (!hubSide) return steps
  const placed = placedSteps(steps, hubSide)
  const objects = placed.flatMap(step => step.objects)
  const missing = await hubSide.missingNamespaces(objects, { signal })
  if (dryRun && missing.length > 0) throw new WouldWrite('namespaces of the hub')
  for (const name of missing) await hubSide.createNamespace(name, { signal })
  return placed
}
