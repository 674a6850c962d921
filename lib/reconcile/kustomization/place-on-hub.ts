import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Manifests } from './build/build-manifests.ts'
import { orFailure } from './failure.ts'

/** A build with Flux's objects where the hub keeps them, when it keeps them: their namespaces there are made where they are missing. */
export const placeOnHub = async (
  manifests: Manifests,
  { hubSide }: Pick<ReachedTarget, 'hubSide'>,
  { signal, dryRun }: Pick<Pass<Kustomization>, 'signal' | 'dryRun'>,
): Promise<Manifests> => {
  if (!hubSide) return manifests
  const objects = hubSide.place(manifests.objects)
  const asBuilt = new Map(objects.map((object, at) => [object, manifests.objects[at]!]))
  await orFailure('ReconciliationFailed', signal, async () => {
    const missing = await hubSide.missingNamespaces(objects, { signal })
    if (dryRun && missing.length > 0) throw new WouldWrite('namespaces of the hub')
    for (const name of missing) await hubSide.createNamespace(name, { signal })
  })
  return { ...manifests, objects, originOf: object => manifests.originOf(asBuilt.get(object) ?? object) }
}
