import type { Budget } from '../../../foundations/budget/budget.ts'
import { stringNode, type YamlNode } from '../../yaml/node.ts'
import { lookupSteps } from '../../yaml/tree-size.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import type { StringMap } from '../kustomization.ts'
import { setFieldOf } from '../node-path.ts'
import type { ResourceChange } from '../resource.ts'

/**
 * Sets labels or annotations at all fields of the specs. A new key gets the same node at every field of a resource, as in kustomize:
 * changing the value at one of them later changes all.
 */
export const setMetadataEntries = (entries: StringMap, specs: readonly FieldSpec[], budget: Budget): ResourceChange => {
  const keys = Object.keys(entries).sort()
  return resource => {
    const values = keys.map(key => stringNode(entries[key]!))
    const set = (map: YamlNode): void => {
      budget.spend('nodes', keys.length, resource.origin.file)
      budget.spend('steps', lookupSteps(keys.length, map.content.length / 2 + keys.length), resource.origin.file)
      for (const [i, key] of keys.entries()) setFieldOf(map, key, values[i]!)
    }
    for (const spec of specs) applyFieldSpec(resource, spec, set, { createKind: 'map' })
  }
}
