import type { Budget } from '../../../foundations/budget/budget.ts'
import { spendOnTree } from '../../yaml/tree-size.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { strategicMerge } from '../merge/strategic-merge.ts'
import type { TransformerEnvironment } from '../plugins/plugin.ts'
import type { Resource, ResourceChange } from '../resource.ts'
import { ResourceMap } from '../resource-map.ts'

export interface StrategicPatchOptions {
  readonly allowNameChange?: boolean
  readonly allowKindChange?: boolean
}

/** A patch, and how it is merged into a resource. */
export interface StrategicPatch {
  readonly patch: Resource
  /** Merges into the resource that it names. */
  readonly applyToSame: ResourceChange
  /** Merges into a resource selected otherwise: the patch takes its apiVersion. */
  readonly applyToOther: ResourceChange
}

/** `key` covers everything that the patch was read from. */
export const strategicPatch = (
  patch: Resource,
  key: unknown,
  options: StrategicPatchOptions = {},
  { step, budget }: Pick<TransformerEnvironment, 'step' | 'budget'>,
): StrategicPatch => ({
  patch,
  applyToSame: step(['strategic patch', key, options], resource =>
    applyStrategicPatch(resource, patch, options, budget),
  ),
  applyToOther: step(['strategic patch of a target', key, options], resource => {
    const own = patch.clone()
    own.setApiVersion(resource.apiVersion)
    applyStrategicPatch(resource, own, options, budget)
  }),
})

/**
 * Merges a patch into a resource, which keeps its identity unless the options allow changes. Charges the budget for the
 * patch with each target.
 */
const applyStrategicPatch = (
  target: Resource,
  patch: Resource,
  options: StrategicPatchOptions,
  budget: Budget,
): void => {
  spendOnTree(budget, patch.view!, patch.origin.file)
  const { name, namespace, kind } = target
  if (options.allowNameChange || options.allowKindChange) target.storePreviousId()
  const merged = strategicMerge(patch.clone().node!, target.node!, { schema: target.schema, newElements: 'prepend' })
  // kustomize ignores a replacement object (`$patch: replace` at the root) and keeps the target.
  if (!merged) {
    target.node = undefined
    return
  }
  if (!options.allowKindChange) target.setKind(kind)
  if (!options.allowNameChange) target.setName(name)
  target.setNamespace(namespace)
}

/** Merges one patch into all selected resources. */
export const applyStrategicPatchTo = (
  map: ResourceMap,
  targets: readonly Resource[],
  { patch, applyToOther }: StrategicPatch,
): void => {
  const selected = new Set(targets)
  const kept = new ResourceMap()
  for (const resource of map.list) {
    if (selected.has(resource)) applyToOther(resource)
    if (resource.isEmpty) continue
    try {
      kept.append(resource)
    } catch (error) {
      // The error is in the patch, not in the file of its target.
      throw new KustomizeError((error as KustomizeError).message, { file: patch.origin.file }, error)
    }
  }
  map.list = kept.list
}
