import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { SharedReads } from '../runtime/reconciler.ts'
import type { UnitFacts, UnitMemory } from '../runtime/unit-memory.ts'
import type { Context } from './context.ts'

/** Maximum number of units whose facts dry runs cache; the oldest go first. */
const maxUnits = 5_000

/** Contexts of dry runs: they share reads, and store nothing in the hub. */
export const dryRunContexts = (context: Context): ((shared: SharedReads) => Context) => {
  const units: UnitMemory = { read: readOnceAVersion(context.units), write: refuse, forget: refuse }
  return shared => ({
    ...context,
    units,
    references: shared.references(context.references),
    unfinished: { ...context.unfinished, keep: refuse },
    terminations: { ...context.terminations, keep: refuse },
  })
}

/**
 * Facts of a unit as of the first read of its current version: a pass that writes facts writes the unit's status afterwards. A real
 * pass, which acts on them, reads them again.
 */
const readOnceAVersion = (units: Pick<UnitMemory, 'read'>): UnitMemory['read'] => {
  const known = new Map<string, { readonly version: string | undefined; readonly facts: Promise<UnitFacts> }>()
  return (unit: KubernetesObject) => {
    const { uid = '', resourceVersion: version } = unit.metadata
    const before = known.get(uid)
    if (before && version !== undefined && before.version === version) return before.facts
    const facts = units.read(unit)
    known.delete(uid)
    known.set(uid, { version, facts })
    facts.catch(() => known.delete(uid))
    if (known.size > maxUnits) known.delete(known.keys().next().value!)
    return facts
  }
}

const refuse = async (): Promise<never> => {
  throw new WouldWrite('what the hub remembers of a unit')
}
