import { describeWithAnnotations } from './build-annotations.ts'
import { KustomizeError } from './kustomize-error.ts'
import type { Transformer } from './plugins/plugin.ts'
import type { Resource } from './resource.ts'
import { idString } from './resource-id.ts'
import type { ResourceMap } from './resource-map.ts'
import { runTransformer } from './run-transformers.ts'

const VALIDATED_BY = 'validated-by'

/** Validators read everything and may change nothing, except to add a label that marks an object as validated. */
export const runValidators = async (
  map: ResourceMap,
  validators: readonly Transformer[],
  file: string,
): Promise<void> => {
  const changed = (what: string): KustomizeError =>
    new KustomizeError(`validator shouldn't modify the resource map: ${what}`, { file, field: 'validators' })
  for (const validator of validators) {
    const before = map.list.map(resource => ({ id: resource.currentId(), shown: describeWithAnnotations(resource) }))
    await runTransformer(map, validator)
    if (map.list.length !== before.length) throw changed('lists have different number of entries')
    for (const { id, shown } of before) {
      const [after] = map.byCurrentId(id)
      if (!after) throw changed(`id in self missing from other; id: ${idString(id)}`)
      const now = describeWithAnnotations(withoutLabel(after))
      if (now !== shown) throw changed(`nodes unequal: \n -- ${shown},\n -- ${now}`)
    }
  }
}

const withoutLabel = (resource: Resource): Resource => {
  const labels = new Map(resource.labels())
  if (!labels.delete(VALIDATED_BY)) return resource
  const copy = resource.clone()
  copy.setLabels(labels)
  return copy
}
