import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'

/** What was rendered, with Flux's objects where the hub keeps them, when it keeps them: their namespaces there are made where they are missing. */
export const placeOnHub = async (
  steps: readonly RenderedStep[],
  { hubSide }: Pick<ReachedTarget, 'hubSide'>,
  signal: AbortSignal,
): Promise<readonly RenderedStep[]> => {
  if (!hubSide) return steps
  const placed = steps.map(step => ({ ...step, objects: hubSide.place(step.objects) }))
  const objects = placed.flatMap(step => step.objects)
  for (const name of await hubSide.missingNamespaces(objects, { signal }))
    await hubSide.createNamespace(name, { signal })
  return placed
}
