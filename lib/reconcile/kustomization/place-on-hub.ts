import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Manifests } from './build/build-manifests.ts'
import { orFailure } from './failure.ts'
import type { KustomizationRun } from './run.ts'

/** A build as it is applied: with its Flux objects in the hub's namespaces, if the hub keeps them. */
export const placedBuild = <B extends Pick<Manifests, 'objects' | 'originOf'>>(
  build: B,
  hubSide: ReachedTarget['hubSide'],
): B => {
  if (!hubSide) return build
  const objects = hubSide.place(build.objects)
  const asBuilt = new Map(objects.map((object, at) => [object, build.objects[at]!]))
  return { ...build, objects, originOf: object => build.originOf(asBuilt.get(object) ?? object) }
}

/** Like `placedBuild`, for a pass: creates missing namespaces of the hub for Flux objects. */
export const placeOnHub = async (
  manifests: Manifests,
  { hubSide }: Pick<ReachedTarget, 'hubSide'>,
  { signal, dryRun }: Pick<Pass<Kustomization>, 'signal' | 'dryRun'>,
): Promise<Manifests> => {
  if (!hubSide) return manifests
  const placed = placedBuild(manifests, hubSide)
  await orFailure('ReconciliationFailed', signal, async () => {
    const missing = await hubSide.missingNamespaces(placed.objects, { signal })
    if (dryRun && missing.length > 0) throw new WouldWrite('namespaces of the hub')
    for (const name of missing) await hubSide.createNamespace(name, { signal })
  })
  return placed
}

/** Before a build is applied: copies the objects that its Flux objects refer to. Resolves to whether the hub now has all of them. */
export const shareReferences = async ({ shared, pass }: KustomizationRun, { objects }: Manifests): Promise<boolean> => {
  if (!shared) return true
  const { signal, dryRun } = pass
  return orFailure('ReconciliationFailed', signal, () =>
    shared.ofBuild(objects, { signal, isDryRun: dryRun !== undefined }),
  )
}

/** Like `shareReferences`, for changed objects after a build was applied. */
export const shareChanges = async (
  { shared, pass }: KustomizationRun,
  { objects }: Manifests,
  changes: ChangeSet,
): Promise<void> => {
  const { signal } = pass
  await orFailure('ReconciliationFailed', signal, async () => shared?.ofChanges(objects, changes, { signal }))
}
