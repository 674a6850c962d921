import { isSuspended } from '../../foundations/kinds/flux.ts'
import { type Kustomization, kustomization } from '../../foundations/kinds/kustomization.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { References } from '../../hub/references/references.ts'
import type { FetchedHead } from './fetch-heads.ts'

export interface KustomizationAtHead {
  readonly unit: Kustomization
  readonly artifact: NonNullable<FetchedHead['artifact']>
}

/** The Kustomizations of the sources of heads that were fetched. */
export const unitsAtHeads = async (
  heads: readonly FetchedHead[],
  references: References,
): Promise<readonly KustomizationAtHead[]> => (await Promise.all(heads.map(head => unitsOf(head, references)))).flat()

/** Suspended units would not take the change. */
const unitsOf = async (
  { source, artifact }: FetchedHead,
  references: References,
): Promise<readonly KustomizationAtHead[]> => {
  if (!artifact) return []
  const units = await references.referrersOf<Kustomization>(refOf(source), kustomization)
  return units
    .filter(unit => isOf(unit, source) && !unit.metadata.deletionTimestamp && !isSuspended(unit))
    .map(unit => ({ unit, artifact }))
}

/** The index of references may lag behind. */
const isOf = ({ spec: { sourceRef }, metadata }: Kustomization, source: KubernetesObject): boolean =>
  sourceRef.kind === source.kind &&
  sourceRef.name === source.metadata.name &&
  (sourceRef.namespace ?? metadata.namespace) === source.metadata.namespace
