import { emitNode } from './emit-node.ts'
import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'
import { Parser } from './parser.ts'
import { decodeNode, toJson } from './to-json.ts'
import { YamlError } from './yaml-error.ts'

/**
 * Converts a tree to data as kyaml's RNode.MarshalJSON does: it writes the tree as YAML and parses that. Here that happens only where it may
 * matter. Throws a YamlError, with line numbers of the written text, or UnsupportedData.
 */
export const marshalJson = (root: YamlNode): JsonValue =>
  plainData(root) ?? toJson(new Parser(emitNode(root)).next()!.root, { schema: 'kyaml' })

/** Undefined if writing may change the data, or it is refused: the error must refer to the written text. */
const plainData = (root: YamlNode): JsonValue | undefined => {
  try {
    const { value, mayChange } = decodeNode(root, { schema: 'kyaml' })
    return mayChange ? undefined : value
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
