import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { WouldWrite } from './dry-run.ts'
import type { UnitFacts, UnitMemory } from './unit-memory.ts'

/** Maximum number of units whose facts dry runs cache; the oldest go first. */
const maxUnits = 5_000

/** The memory of units for dry runs: read once for each version of a unit, and read-only. */
export const dryRunMemory = (units: Pick<UnitMemory, 'read'>): UnitMemory => ({
  read: readOncePerVersion(units),
  write: refuseToRemember,
  forget: refuseToRemember,
})

/** Replaces functions that store facts of units: a dry run writes nothing to the hub. */
export const refuseToRemember = async (): Promise<never> => {
  throw new WouldWrite('facts of a unit')
}

/**
 * The facts of a unit, from the first read of its current version: a pass that writes facts writes the unit's status afterwards. A real
 * pass, which acts on them, reads them again.
 */
const readOncePerVersion = (units: Pick<UnitMemory, 'read'>): UnitMemory['read'] => {
  const known = new RecentlyUsed<{ readonly version: string | undefined; readonly facts: Promise<UnitFacts> }>(maxUnits)
  return (unit: KubernetesObject) => {
    const { uid = '', resourceVersion: version } = unit.metadata
    const before = known.peek(uid)
    if (before && version !== undefined && before.version === version) return before.facts
    const facts = units.read(unit)
    known.set(uid, { version, facts })
    facts.catch(() => known.delete(uid))
    return facts
  }
}
