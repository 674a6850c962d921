import type { Budget } from '../../../foundations/budget/budget.ts'
import { emitJson } from '../../yaml/emit-json.ts'
import { fromJson } from '../../yaml/from-json.ts'
import type { JsonObject } from '../../yaml/json-value.ts'
import { parseNodes } from '../../yaml/parse.ts'
import { toJson } from '../../yaml/to-json.ts'
import { KustomizeError, wrapError } from '../kustomize-error.ts'
import { strategicMerge } from '../merge/strategic-merge.ts'
import type { Schema } from '../schema/schema.ts'

export const VALUES_MERGES = ['merge', 'override', 'replace'] as const
export type ValuesMerge = (typeof VALUES_MERGES)[number]

/**
 * Combines a chart's values with those in the kustomization: these win (`override`), the chart's win (`merge`), or the chart's are dropped
 * (`replace`).
 */
export const mergeValues = (
  own: () => Uint8Array,
  inline: JsonObject,
  how: ValuesMerge,
  { schema, budget }: { readonly schema: Schema; readonly budget: Budget },
): Uint8Array => {
  if (Object.keys(inline).length === 0) return own()
  if (how === 'replace') return Buffer.from(emitJson(inline))
  const [below, above] =
    how === 'override' ? [parse(own(), budget), fromJson(inline)] : [fromJson(inline), parse(own(), budget)]
  const merged = strategicMerge(above, below, { schema, newElements: 'append' })
  return Buffer.from(emitJson(merged ? toJson(merged, { schema: 'kyaml' }) : {}))
}

const parse = (content: Uint8Array, budget: Budget) => {
  const problem = 'could not parse values file into rnode'
  try {
    const [root] = parseNodes(content, budget)
    if (root) return root
  } catch (error) {
    throw wrapError(problem, error)
  }
  throw new KustomizeError(`${problem}: EOF`)
}
