import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type Kustomization, kustomization as kind } from '../../foundations/kinds/kustomization.ts'
import { describeTarget, namedTarget } from '../../foundations/kinds/target-reference.ts'
import { inventoryDifference } from '../../foundations/rules/inventory.ts'
import { type Moves, movesOf } from '../../foundations/rules/moves.ts'
import { accessOf } from '../../foundations/rules/target.ts'
import type { References } from '../../hub/references/references.ts'
import { inventoryOf } from '../applied-objects/run.ts'
import type { Restraining } from '../windows/restraint.ts'
import type { Context } from './context.ts'
import type { KustomizationRun } from './run.ts'

/** Objects that leave a Kustomization for another one. */
export interface FoundMoves extends Pick<Moves, 'takers'> {
  /** Why the rest waits, and when to look again, in milliseconds. Absent if it does not wait. */
  readonly hold?: Restraining & { readonly afterMs: number }
}

const noMoves: FoundMoves = { takers: new Map() }

const minPollMs = 2_000
const maxPollMs = 60_000

/**
 * Finds other Kustomizations that have what this one drops, or may take it with the same revision: nobody waits for those without a new artifact. Reads
 * them only if something is dropped.
 */
export const findMoves = async (
  run: KustomizationRun,
  built: readonly InventoryEntry[],
  artifact: Artifact | undefined,
  { references, settings, clock }: Pick<Context, 'references' | 'settings' | 'clock'>,
): Promise<FoundMoves> => {
  const { applier: from, revision } = run
  const ids = inventoryDifference(inventoryOf(from), built).map(({ id }) => id)
  if (ids.length === 0 || !from.spec.prune || !settings.pruneGuard) return noMoves
  const since = artifact ? Date.parse(artifact.lastUpdateTime) : Number.NEGATIVE_INFINITY
  const until = since + settings.moveWaitMs
  const now = clock.now()
  const { takers, awaited } = movesOf({
    from,
    revision: revision.revision,
    others: await neighboursOf(from, references),
    ids,
    isWaiting: now < until,
  })
  if (!awaited) return { takers }
  const { namespace, name } = awaited.metadata
  const why = `Kustomization ${namespace}/${name} has not applied revision ${revision.revision} yet, and may take them over`
  const afterMs = Math.min(Math.max((now - since) / 2, minPollMs), maxPollMs)
  return { takers, hold: { reason: 'MoveExpected', why, until, afterMs } }
}

/** The Kustomizations of the same namespace that apply to the same cluster by the same access. */
export const neighboursOf = async (
  unit: Kustomization,
  references: Pick<References, 'ownNamespace' | 'referrersOf' | 'localList'>,
): Promise<readonly Kustomization[]> => {
  const named = namedTarget(unit)
  const [namespace, others] = await Promise.all([
    references.ownNamespace(unit),
    named
      ? references.referrersOf<Kustomization>({ group: '', ...named }, kind)
      : references.localList<Kustomization>(unit, kind),
  ])
  const accessIn = (object: Kustomization): string => {
    const access = accessOf(object, namespace)
    return access ? describeTarget(access) : ''
  }
  return others.filter(
    other =>
      other.metadata.namespace === unit.metadata.namespace &&
      other.metadata.name !== unit.metadata.name &&
      accessIn(other) === accessIn(unit),
  )
}
