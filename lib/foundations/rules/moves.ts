/** What becomes of objects that leave one Kustomization while another one for the same cluster has them, or may take them. Pure. */
import type { Kustomization } from '../kinds/kustomization.ts'
import { sourceNamespaceOf } from '../kinds/kustomization.ts'

export interface MoveInput {
  /** The Kustomization that the objects leave, and the revision of its source that it applies. */
  readonly from: Kustomization
  readonly revision: string
  /** The other Kustomizations for the same cluster. */
  readonly others: readonly Kustomization[]
  /** Inventory ids of what leaves. */
  readonly ids: readonly string[]
  /** Whether Kustomizations that have not applied the revision yet are still waited for. */
  readonly isWaiting: boolean
}

export interface Moves {
  /** The Kustomization that has an object now, by inventory id. */
  readonly takers: ReadonlyMap<string, Kustomization>
  /** One that has not applied the revision yet, and may take the rest. */
  readonly awaited?: Kustomization
}

/**
 * Who has the objects that leave a Kustomization. One that follows the same source counts once it has applied the same revision: before that, it may be
 * about to drop them, or to take others.
 */
export const movesOf = ({ from, revision, others, ids, isWaiting }: MoveInput): Moves => {
  if (ids.length === 0) return { takers: new Map() }
  const present = others.filter(({ metadata }) => !metadata.deletionTimestamp && metadata.name !== from.metadata.name)
  const awaited = isWaiting ? present.filter(other => isBehind(other, from, revision)) : []
  const leaving = new Set(ids)
  const takers = new Map(
    present
      .filter(other => !awaited.includes(other))
      .flatMap(other => (other.status?.inventory?.entries ?? []).map(({ id }) => [id, other] as const))
      .filter(([id]) => leaving.has(id)),
  )
  const [first] = awaited
  return { takers, ...(first && { awaited: first }) }
}

const isBehind = (other: Kustomization, { spec, metadata }: Kustomization, revision: string): boolean =>
  !other.spec.suspend &&
  other.spec.sourceRef.kind === spec.sourceRef.kind &&
  other.spec.sourceRef.name === spec.sourceRef.name &&
  sourceNamespaceOf(other) === sourceNamespaceOf({ ...other, spec, metadata }) &&
  other.status?.lastAppliedRevision !== revision
