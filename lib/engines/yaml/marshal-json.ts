import { emitNode } from './emit-node.ts'
import type { JsonValue } from './json-value.ts'
import type { YamlNode } from './node.ts'
import { Parser } from './parser.ts'
import { decodeNode, toJson } from './to-json.ts'
import { YamlError } from './yaml-error.ts'

/**
 * The data that kyaml makes of a tree (its RNode.MarshalJSON): it writes the tree as YAML and reads that. Here that is done only
 * where it may matter. Throws a YamlError, which counts lines in what was written, or UnsupportedData.
 */
export const marshalJson = (root: YamlNode): JsonValue =>
  dataAsItIs(root) ?? toJson(new Parser(emitNode(root)).next()!.root, { schema: 'kyaml' })

/** Undefined where writing may change it, and where it is refused: the fault is told as of the written text. */
const dataAsItIs = (root: YamlNode): JsonValue | undefined => {
  try {
    const { value, mayChange } = decodeNode(root, { schema: 'kyaml' })
    return mayChange ? undefined : value
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
