import { KustomizeError } from '../kustomize-error.ts'
import { strategicMerge } from '../merge/strategic-merge.ts'
import type { Resource } from '../resource.ts'
import { ResourceMap } from '../resource-map.ts'

export interface StrategicPatchOptions {
  readonly allowNameChange?: boolean
  readonly allowKindChange?: boolean
}

/** Merges a patch into a resource, whose identity stays unless the options say otherwise. */
export const applyStrategicPatch = (target: Resource, patch: Resource, options: StrategicPatchOptions = {}): void => {
  const { name, namespace, kind } = target
  if (options.allowNameChange || options.allowKindChange) target.storePreviousId()
  target.node = strategicMerge(patch.clone().node!, target.node!, {
    schema: target.schema,
    newElements: 'prepend',
    inferKeys: false,
    visitKeys: false,
  })
  if (!target.node || target.node.content.length === 0) {
    target.node = undefined
    return
  }
  if (!options.allowKindChange) target.setKind(kind)
  if (!options.allowNameChange) target.setName(name)
  target.setNamespace(namespace)
}

/** Merges one patch into all the chosen resources; the patch takes on each one's apiVersion. */
export const applyStrategicPatchTo = (
  map: ResourceMap,
  targets: readonly Resource[],
  patch: Resource,
  options: StrategicPatchOptions = {},
): void => {
  const chosen = new Set(targets)
  const kept = new ResourceMap()
  for (const resource of map.list) {
    if (chosen.has(resource)) {
      const own = patch.clone()
      own.setApiVersion(resource.apiVersion)
      own.setKind(patch.kind)
      applyStrategicPatch(resource, own, options)
    }
    if (resource.node) {
      try {
        kept.append(resource)
      } catch (error) {
        if (error instanceof KustomizeError)
          throw new KustomizeError(error.message, { file: patch.origin.file, field: 'patches' }, error)
        throw error
      }
    }
  }
  map.list = kept.list
  map.touch()
}
