import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { UnitFacts, UnitMemory } from '../runtime/unit-memory.ts'
import type { SealedBuilds } from './sealed-builds.ts'

interface ForgetPorts {
  readonly units: Pick<UnitMemory, 'read'>
  readonly builds: Pick<SealedBuilds<unknown>, 'delete'>
}

/** What is stored of a unit whose changes need approval. */
export const digestsOfApproved = ({ approved, stored }: UnitFacts): readonly string[] =>
  [approved?.build, stored].filter(digest => digest !== undefined)

/** Deletes all that is stored of a unit that is deleted, and builds that it may have left. */
export const forgetBuilds = async (
  unit: KubernetesObject,
  { units, builds }: ForgetPorts,
  left: readonly string[] = [],
): Promise<void> => {
  const facts = await units.read(unit)
  const kept = facts.kept?.map(({ digest }) => digest) ?? []
  for (const digest of new Set([...kept, ...digestsOfApproved(facts), ...left])) await builds.delete(unit, digest)
}
