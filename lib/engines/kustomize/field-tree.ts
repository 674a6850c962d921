import { isMissing, type YamlNode } from '../yaml/node.ts'
import type { FieldSpec } from './field-spec.ts'

/** Field paths with actions at their ends, merged by common prefix. */
export interface FieldTree<Action> {
  readonly actions: Action[]
  readonly fields: Map<string, FieldTree<Action>>
}

/** A tree without paths; `addPath` fills it. */
export const emptyTree = <Action>(): FieldTree<Action> => ({ actions: [], fields: new Map() })

/** Adds a path; false if it can't be followed by field names alone (`[]`, numbers, matches, surrounding spaces). */
export const addPath = <Action>(tree: FieldTree<Action>, spec: FieldSpec, action: Action): boolean => {
  if (!spec.segments.every(isPlainField)) return false
  let node = tree
  for (const segment of spec.segments) {
    let next = node.fields.get(segment)
    if (!next) {
      next = emptyTree()
      node.fields.set(segment, next)
    }
    node = next
  }
  node.actions.push(action)
  return true
}

const isPlainField = (segment: string): boolean => segment !== '' && !/^[-+]?\d+$|^[-*]$|\[|^\s|\s$/.test(segment)

/** Visits the ends of all paths that exist in an object, including through lists. A node of an unexpected kind ends the path. */
export const visitTree = <Action>(
  tree: FieldTree<Action>,
  node: YamlNode,
  visit: (node: YamlNode, action: Action) => void,
): void => {
  for (const action of tree.actions) visit(node, action)
  if (tree.fields.size > 0) visitFields(tree, node, visit)
}

const visitFields = <Action>(
  tree: FieldTree<Action>,
  node: YamlNode,
  visit: (node: YamlNode, action: Action) => void,
): void => {
  if (node.kind === 'seq') {
    for (const item of node.content) visitFields(tree, item, visit)
    return
  }
  if (node.kind !== 'map') {
    if (!isMissing(node)) throw new UnexpectedKind()
    return
  }
  const { content } = node
  for (let i = 0; i < content.length; i += 2) {
    const next = tree.fields.get(content[i]!.value)
    if (next) visitTree(next, content[i + 1]!, visit)
  }
}

/** A path continues below a node that has no fields. */
class UnexpectedKind extends Error {}
