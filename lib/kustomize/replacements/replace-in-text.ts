import { emitNode } from '../../yaml/emit-node.ts'
import { goJson, goJsonIndented } from '../../yaml/go-json.ts'
import type { NodeKind, YamlNode } from '../../yaml/node.ts'
import { parseWithComments } from '../../yaml/parse-with-comments.ts'
import { toJson } from '../../yaml/to-json.ts'
import { lookupPath } from '../node-path.ts'
import { matchPath } from './match-path.ts'

/**
 * A path may lead on into a text that holds YAML or JSON. Replaces there and writes the text back; false when the path isn't
 * of that sort, or nothing was found.
 */
export const replaceInText = (
  root: YamlNode,
  path: readonly string[],
  create: NodeKind | undefined,
  replace: (node: YamlNode) => void,
): boolean => {
  const split = textOnPath(root, path)
  if (!split) return false
  const { holder, rest } = split
  try {
    const document = parseWithComments(holder.value)
    if (!document) return false
    const found = matchPath(document.root, rest, create)
    if (found.length === 0) return false
    for (const node of found) replace(node)
    holder.value = serialized(document, holder.value)
    return true
  } catch {
    return false
  }
}

/** The first scalar on the way whose text can be parsed, and the path that is left. */
const textOnPath = (
  root: YamlNode,
  path: readonly string[],
): { holder: YamlNode; rest: readonly string[] } | undefined => {
  for (let i = 1; i < path.length; i++) {
    const holder = attempt(() => lookupPath(root, path.slice(0, i)))
    if (holder?.kind !== 'scalar') continue
    if (attempt(() => parseWithComments(holder.value))) return { holder, rest: path.slice(i) }
  }
  return undefined
}

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const serialized = ({ root, head, foot }: { root: YamlNode; head: string; foot: string }, before: string): string => {
  const first = before.trim()[0]
  if (first !== '{' && first !== '[') return emitNode(root, { head, foot }).trim()
  const value = toJson(root, { schema: 'kyaml' })
  return before.includes('\n') && before.includes('  ') ? goJsonIndented(value) : goJson(value)
}
