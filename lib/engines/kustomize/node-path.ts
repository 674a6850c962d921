import { emitNode } from '../yaml/emit-node.ts'
import { field, indexOfKey, isMissing, mapNode, type NodeKind, scalarNode, YamlNode } from '../yaml/node.ts'
import { resolvesToOtherType } from '../yaml/resolves-to-other-type.ts'
import { KustomizeError } from './kustomize-error.ts'

/** Edits document trees as kyaml does: existing nodes keep their style, wrong kinds are refused. */

const NAMES: Readonly<Record<NodeKind, string>> = {
  map: 'MappingNode',
  seq: 'SequenceNode',
  scalar: 'ScalarNode',
  alias: 'AliasNode',
}

/** Throws WrongKind, with the node's YAML in its message, unless the node is of this kind or missing. */
export const expectKind = (node: YamlNode | undefined, kind: NodeKind): void => {
  if (!isMissing(node) && node.kind !== kind) throw new WrongKind(kind, NAMES[node.kind], emitNode(node))
}

export class WrongKind extends KustomizeError {
  constructor(expected: NodeKind, actual: string, content: string) {
    super(`wrong node kind: expected ${NAMES[expected]} but got ${actual}: node contents:\n${content}`)
  }
}

/** A node to be filled, whose tag is left to the writer. */
export const emptyNode = (kind: NodeKind): YamlNode => new YamlNode(kind, '', '')

/** Copies another node's content, keeping the target's style. */
export const assign = (target: YamlNode, value: YamlNode): void => {
  target.kind = value.kind
  target.tag = value.tag
  target.value = value.value
  target.content = value.content
  target.comments = value.comments
  target.anchor = value.anchor
  target.alias = value.alias
}

/** Overwrites a scalar's value. */
export const setScalar = (target: YamlNode, value: YamlNode): void => {
  expectKind(target, 'scalar')
  assign(target, value)
}

/** Sets the value of a key, overwriting in place. */
export const setFieldOf = (map: YamlNode, key: string, value: YamlNode): void => {
  expectKind(map, 'map')
  const at = indexOfKey(map, key)
  if (at < 0) {
    quoteIfOther(value)
    map.content.push(scalarNode(key), value)
  } else assign(map.content[at + 1]!, value)
}

/** Quotes a plain string that a YAML 1.1 reader would read as another type, unless it has an explicit tag. */
export const quoteIfOther = (node: YamlNode): void => {
  const { kind, tag, tagged, style, value } = node
  if (kind === 'scalar' && (tag === '!!str' || tag === '') && !tagged && style === '' && resolvesToOtherType(value))
    node.style = 'double'
}

/** Removes a key of a mapping, if it is there. Throws WrongKind for other nodes. */
export const clearFieldOf = (map: YamlNode, key: string): void => {
  expectKind(map, 'map')
  const at = indexOfKey(map, key)
  if (at >= 0) map.content.splice(at, 2)
}

/** A path step as a number, within Go's range; NaN for others. */
const numberOf = (part: string): number => {
  if (!/^[-+]?\d+$/.test(part)) return Number.NaN
  const number = BigInt(part)
  return BigInt.asIntN(64, number) === number ? Number(number) : Number.NaN
}

export const isIndex = (part: string): boolean => numberOf(part) >= 0

/** `[name=value]` */
export const isMatch = (part: string): boolean => part.startsWith('[') && part.endsWith(']')

/** The kind of node to create so that the next part can be followed; `last` at the end of a path. */
export const kindFor = (next: string | undefined, last: NodeKind): NodeKind =>
  !next ? last : isIndex(next) || isMatch(next) ? 'seq' : 'map'

/** One path step: a field, a list index, `-` for the last element, or `[name=value]`. */
export const step = (node: YamlNode, part: string): YamlNode | undefined => {
  const index = numberOf(part)
  if (index < 0) throw new KustomizeError(`array index ${index} cannot be negative`)
  if (index >= 0) {
    expectKind(node, 'seq')
    return node.content[index]
  }
  if (part === '-') {
    expectKind(node, 'seq')
    return node.content.at(-1)
  }
  if (part === '*') throw new KustomizeError('wildcard is not supported in PathGetter')
  if (isMatch(part)) {
    const { name, value } = splitMatch(part)
    expectKind(node, 'seq')
    return node.content.find(item => (name === '' ? item.value === value : field(item, name)?.value === value))
  }
  expectKind(node, 'map')
  return field(node, part)
}

/**
 * `[name=app]` as `name` and `app`; for a list of scalars `[=app]`, the name is empty. Throws KustomizeError without a
 * `=`.
 */
export const splitMatch = (part: string): { name: string; value: string } => {
  const inner = part.slice(1, -1)
  const at = inner.indexOf('=')
  if (at < 0) throw new KustomizeError('list path element must contain fieldName=fieldValue for element to match')
  return { name: inner.slice(0, at), value: inner.slice(at + 1) }
}

/** Steps without surrounding spaces, and without empty ones. */
const cleaned = (path: readonly string[]): readonly string[] => path.map(part => part.trim()).filter(Boolean)

/** Follows a path; undefined if a part is missing. */
export const lookupPath = (root: YamlNode, path: readonly string[]): YamlNode | undefined => {
  let node: YamlNode | undefined = root
  for (const part of cleaned(path)) {
    node = step(node, part)
    if (!node) return undefined
  }
  return node
}

/** Follows a path and creates what is missing: maps and lists as the next part requires, `kind` at the end. */
export const createPath = (root: YamlNode, path: readonly string[], kind: NodeKind): YamlNode | undefined => {
  const parts = cleaned(path)
  let node: YamlNode | undefined = root
  for (const [i, part] of parts.entries()) {
    node = step(node, part) ?? makePart(node, part, kindFor(parts[i + 1], kind))
    if (!node) return undefined
  }
  return node
}

const makePart = (node: YamlNode, part: string, kind: NodeKind): YamlNode | undefined => {
  if (isMatch(part)) {
    const { name, value } = splitMatch(part)
    const item = name === '' ? scalarNode(value) : mapNode([scalarNode(name), scalarNode(value)])
    node.content.push(item)
    return item
  }
  if (node.kind !== 'map') return undefined
  const made = emptyNode(kind)
  node.content.push(scalarNode(part), made)
  return made
}
