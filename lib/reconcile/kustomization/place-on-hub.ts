import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Manifests } from './build/build-manifests.ts'
import { orFailure } from './failure.ts'
import type { Run } from './run.ts'

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

/** Before a build is applied: copies of what its Flux objects refer to. Resolves to whether all of it is on the hub now. */
export const shareReferences = async ({ shared, pass }: Run, { objects }: Manifests): Promise<boolean> => {
  if (!shared) return true
  const { signal, dryRun } = pass
  return orFailure('ReconciliationFailed', signal, () =>
    shared.ofBuild(objects, { signal, isDryRun: dryRun !== undefined }),
  )
}

/** After it was: the same for what has changed. */
export const shareChanges = async (
  { shared, pass }: Run,
  { objects }: Manifests,
  changes: ChangeSet,
): Promise<void> => {
  const { signal } = pass
  await orFailure('ReconciliationFailed', signal, async () => shared?.ofChanges(objects, changes, { signal }))
}
