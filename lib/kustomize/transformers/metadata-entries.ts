import { stringNode } from '../../yaml/node.ts'
import { applyFieldSpec, type FieldSpec } from '../field-spec.ts'
import type { StringMap } from '../kustomization.ts'
import { setFieldOf } from '../node-path.ts'
import type { Resource } from '../resource.ts'

/** Sets labels or annotations at all places that the specs name. */
export const setMetadataEntries = (
  resources: readonly Resource[],
  entries: StringMap,
  specs: readonly FieldSpec[],
): void => {
  const keys = Object.keys(entries).sort()
  if (keys.length === 0) return
  for (const resource of resources) {
    for (const spec of specs) {
      applyFieldSpec(
        resource,
        spec,
        map => {
          for (const key of keys) setFieldOf(map, key, stringNode(entries[key]!))
        },
        { createKind: 'map', createTag: '!!map' },
      )
    }
  }
}
