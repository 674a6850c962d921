import type { Budget } from '../../foundations/budget/budget.ts'
import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'

/** The number of fields skipped in the time of one step. */
const fieldsPerStep = 64

/** Budget steps to look up some fields of a mapping, one after the other: a mapping has no index. */
export const lookupSteps = (lookups: number, fields: number): number => Math.floor((lookups * fields) / fieldsPerStep)

/** Pays for merging a copy of a tree into another: its nodes, the bytes of their texts, and the lookups of its fields. */
export const spendOnTree = (budget: Budget, root: YamlNode, place?: string): void => {
  let nodes = 0
  let bytes = 0
  let steps = 0
  const visit = (node: YamlNode): void => {
    nodes++
    bytes += node.value.length
    if (node.kind === 'map') steps += lookupSteps(node.content.length / 2, node.content.length / 2)
    for (const child of node.content) visit(child)
  }
  visit(root)
  budget.spend('nodes', nodes, place)
  budget.spend('bytes', bytes, place)
  budget.spend('steps', steps, place)
}

/** The same for data: every value is a node, and names count as bytes. */
export const spendOnJson = (budget: Budget, root: JsonValue, place?: string): void => {
  let nodes = 0
  let bytes = 0
  const visit = (value: JsonValue): void => {
    nodes++
    if (typeof value === 'string') bytes += value.length
    else if (Array.isArray(value)) for (const item of value) visit(item)
    else if (typeof value === 'object' && value !== null)
      for (const name of Object.keys(value)) {
        bytes += name.length
        visit(value[name]!)
      }
  }
  visit(root)
  budget.spend('nodes', nodes, place)
  budget.spend('bytes', bytes, place)
}
