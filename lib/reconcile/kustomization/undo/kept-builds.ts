import { isSameJson } from '../../../foundations/kinds/schema/same-json.ts'
import { withApplied } from '../../../foundations/rules/kept-builds.ts'
import { keepLimitsOf } from '../../kept-builds/keep-limits.ts'
import { WouldWrite } from '../../runtime/dry-run.ts'
import { specOfGeneration } from '../approved-spec.ts'
import type { Manifests } from '../build/build-manifests.ts'
import type { Context } from '../context.ts'
import type { KustomizationRun } from '../run.ts'
import { reason as succeeded } from '../succeed.ts'

type KeepPorts = Pick<Context, 'units' | 'builds' | 'settings'>

/** Stores what a run is about to apply, so that the unit can return to it later: unless the run before was of the same build. */
export const storeBuild = async (
  { applier: unit, pass, revision, digest }: KustomizationRun,
  manifests: Manifests,
  { builds, settings }: KeepPorts,
): Promise<void> => {
  const [last] = unit.status?.history ?? []
  if (keepLimitsOf(settings).count === 0 || last?.digest === digest) return
  if (pass.dryRun) throw new WouldWrite('manifests')
  await builds.put(unit, { revision, manifests, appliedAs: specOfGeneration(unit) })
}

/** Keeps what a run has applied with success, and deletes what is kept no longer. Costs nothing if the run before was the same. */
export const keepApplied = async (
  { applier: unit, clock, revision: { revision }, digest }: KustomizationRun,
  ports: KeepPorts,
): Promise<void> => {
  const history = unit.status?.history ?? []
  const [last] = history
  if (last?.digest === digest && last.lastReconciledStatus === succeeded) return
  const facts = await ports.units.read(unit)
  const before = facts.kept ?? []
  const kept = withApplied(before, { digest, revision, appliedAt: clock.now() }, keepLimitsOf(ports.settings))
  if (isSameJson(kept, before)) return
  await ports.units.write(unit, { ...facts, kept })
  const others = new Set([...before, ...history].map(one => one.digest))
  for (const { digest } of kept) others.delete(digest)
  for (const replaced of others) await ports.builds.delete(unit, replaced)
}
