import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'

type Selector = OciRepository['spec']['layerSelector']

/**
 * Whether the same image would now give another artifact, because the layer selector or the ignore rules have changed.
 */
export const contentConfigChanged = ({ spec, status }: OciRepository): boolean =>
  spec.ignore !== status?.observedIgnore || !isSame(spec.layerSelector, status?.observedLayerSelector)

const isSame = (a: Selector, b: Selector): boolean =>
  (a === undefined) === (b === undefined) &&
  (a?.mediaType ?? '') === (b?.mediaType ?? '') &&
  (a?.operation ?? '') === (b?.operation ?? '')
