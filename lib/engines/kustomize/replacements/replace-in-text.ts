import { emitNode } from '../../yaml/emit-node.ts'
import { goJson, goJsonIndented } from '../../yaml/go-json.ts'
import type { JsonValue } from '../../yaml/json-value.ts'
import { marshalJson } from '../../yaml/marshal-json.ts'
import { type NodeKind, seqNode, type YamlNode } from '../../yaml/node.ts'
import { parseWithComments } from '../../yaml/parse-with-comments.ts'
import type { ParsedDocument } from '../../yaml/parser.ts'
import { lookupPath } from '../node-path.ts'
import { matchPath } from './match-path.ts'

/**
 * A path may continue into a text that contains YAML or JSON. Replaces there and writes the text back; false if the path doesn't do that, or
 * nothing was found.
 */
export const replaceInText = (
  root: YamlNode,
  path: readonly string[],
  create: NodeKind | undefined,
  replace: (node: YamlNode) => void,
): boolean => {
  const found = textOnPath(root, path)
  if (!found) return false
  const { holder, document, rest } = found
  const text = attempt(() => {
    const nodes = matchPath(document.root, rest, create)
    for (const node of nodes) replace(node)
    return nodes.length > 0 ? serialized(document, holder.value) : undefined
  })
  if (text === undefined) return false
  holder.value = text
  return true
}

interface TextOnPath {
  readonly holder: YamlNode
  readonly document: ParsedDocument
  /** The remaining path. */
  readonly rest: readonly string[]
}

/** The first scalar on the path whose text can be parsed. */
const textOnPath = (root: YamlNode, path: readonly string[]): TextOnPath | undefined => {
  for (let i = 1; i < path.length; i++) {
    const holder = attempt(() => lookupPath(root, path.slice(0, i)))
    // Lists and objects have no text.
    const document = holder && attempt(() => parseWithComments(holder.value))
    if (document) return { holder, document, rest: path.slice(i) }
  }
  return undefined
}

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {}
}

const serialized = ({ root, head, foot }: ParsedDocument, before: string): string => {
  const first = before.trim()[0]
  if (first !== '{' && first !== '[') return emitNode(root, { head, foot }).trim()
  // Within a list all keys must be strings; at the top level kyaml would convert others.
  const [value] = marshalJson(seqNode([root])) as [JsonValue]
  return before.includes('\n') && before.includes('  ') ? goJsonIndented(value) : goJson(value)
}
