import { KustomizeError } from './kustomize-error.ts'
import type { Transformer } from './plugins/plugin.ts'
import type { ResourceMap } from './resource-map.ts'

const VALIDATED_BY = 'validated-by'

/** Validators look at everything and may change nothing but a label that says so. */
export const runValidators = async (map: ResourceMap, validators: readonly Transformer[]): Promise<void> => {
  for (const validator of validators) {
    const before = shown(map)
    await validator.run(map)
    if (shown(map) !== before)
      throw new KustomizeError("validator shouldn't modify the resource map: nodes unequal", { field: 'validators' })
  }
}

const shown = (map: ResourceMap): string =>
  map.list
    .map(resource => {
      const copy = resource.clone()
      const labels = new Map(copy.labels())
      if (labels.delete(VALIDATED_BY)) copy.setLabels(labels)
      return copy.toYaml()
    })
    .join('---\n')
