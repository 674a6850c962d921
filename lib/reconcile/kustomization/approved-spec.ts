import type { Kustomization, KustomizationSpec } from '../../foundations/kinds/kustomization.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'

/** A spec that a unit has or had. */
export interface SpecOfGeneration {
  readonly generation: number
  readonly spec: KustomizationSpec
}

/** The spec that the unit has now. */
export const specOfGeneration = ({ metadata, spec }: Kustomization): SpecOfGeneration => ({
  generation: metadata.generation ?? 0,
  spec,
})

/** The unit as it was with an earlier spec. */
export const withSpec = (unit: Kustomization, { generation, spec }: SpecOfGeneration): Kustomization => ({
  ...unit,
  spec,
  metadata: { ...unit.metadata, generation },
})

/**
 * The unit with the spec of `generation`, which was approved. Undefined if that spec is not `known`, or if the unit is to act on another cluster or as another
 * ServiceAccount now: nobody has approved the former objects for these, and the former account may have lost its rights on purpose.
 */
export const asApproved = (
  unit: Kustomization,
  generation: number,
  known: SpecOfGeneration | undefined,
): Kustomization | undefined => {
  if (generation === unit.metadata.generation) return unit
  if (known?.generation !== generation) return undefined
  const { kubeConfig, serviceAccountName } = known.spec
  const isSameActor =
    serviceAccountName === unit.spec.serviceAccountName && isSameJson(kubeConfig, unit.spec.kubeConfig)
  return isSameActor ? withSpec(unit, known) : undefined
}
