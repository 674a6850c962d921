import { emitNode } from '../yaml/emit-node.ts'
import { isOtherThanText } from '../yaml/is-other-than-text.ts'
import { field, indexOfKey, isMissing, isNull, type NodeKind, scalarNode, YamlNode } from '../yaml/node.ts'
import { KustomizeError } from './kustomize-error.ts'

/** Editing document trees the way kyaml does: existing places keep their style, wrong kinds are refused. */

const NAMES: Readonly<Record<NodeKind, string>> = {
  map: 'MappingNode',
  seq: 'SequenceNode',
  scalar: 'ScalarNode',
  alias: 'AliasNode',
}

export const expectKind = (node: YamlNode | undefined, kind: NodeKind): void => {
  if (isMissing(node) || node.kind === kind) return
  throw new WrongKind(kind, node)
}

export class WrongKind extends KustomizeError {
  readonly actual: NodeKind

  constructor(expected: NodeKind, node: YamlNode) {
    super(`wrong node kind: expected ${NAMES[expected]} but got ${NAMES[node.kind]}: node contents:\n${emitNode(node)}`)
    this.actual = node.kind
  }
}

const TAGS: Readonly<Partial<Record<NodeKind, string>>> = { map: '!!map', seq: '!!seq' }

export const emptyNode = (kind: NodeKind): YamlNode => new YamlNode(kind, TAGS[kind] ?? '', '')

/** Makes a node say what another says, in its own style. */
export const assign = (target: YamlNode, value: YamlNode): void => {
  target.kind = value.kind
  target.tag = value.tag
  target.value = value.value
  target.content = value.content
  target.comments = value.comments
  target.anchor = value.anchor
  target.alias = value.alias
}

/** Writes a scalar over a scalar; a null value changes nothing. */
export const setScalar = (target: YamlNode, value: YamlNode): void => {
  expectKind(target, 'scalar')
  if (isMissing(value)) return
  assign(target, value)
}

/** Puts a value under a key, overwriting in place; a null takes the key out. */
export const setFieldOf = (map: YamlNode, key: string, value: YamlNode): void => {
  if (isNull(value)) {
    clearFieldOf(map, key)
    return
  }
  expectKind(map, 'map')
  const at = indexOfKey(map, key)
  if (at < 0) {
    quoteIfOther(value)
    map.content.push(scalarNode(key), value)
  } else assign(map.content[at + 1]!, value)
}

/** Gives quotes to a plain string that a YAML 1.1 reader would take for something else. */
export const quoteIfOther = (node: YamlNode): void => {
  const { kind, tag, style, value } = node
  if (kind === 'scalar' && (tag === '!!str' || tag === '') && style === '' && isOtherThanText(value))
    node.style = 'double'
}

export const clearFieldOf = (map: YamlNode, key: string): void => {
  expectKind(map, 'map')
  const at = indexOfKey(map, key)
  if (at >= 0) map.content.splice(at, 2)
}

const INDEX = /^[-+]?\d+$/

/** One step of a path: a field, a list index, `-` for the last element, or `[name=value]`. */
export const step = (node: YamlNode, part: string): YamlNode | undefined => {
  if (INDEX.test(part)) {
    const index = Number(part)
    if (index < 0) throw new KustomizeError(`array index ${index} cannot be negative`)
    expectKind(node, 'seq')
    return node.content[index]
  }
  if (part === '-') {
    expectKind(node, 'seq')
    return node.content.at(-1)
  }
  if (part === '*') throw new KustomizeError('wildcard is not supported in PathGetter')
  if (part.startsWith('[') && part.endsWith(']')) {
    const { name, value } = splitMatch(part)
    expectKind(node, 'seq')
    return node.content.find(item => (name === '' ? item.value === value : field(item, name)?.value === value))
  }
  if (isMissing(node)) return undefined
  expectKind(node, 'map')
  return field(node, part)
}

export const splitMatch = (part: string): { name: string; value: string } => {
  const inner = part.slice(1, -1)
  const at = inner.indexOf('=')
  if (at < 0) throw new KustomizeError('list path element must contain fieldName=fieldValue for element to match')
  return { name: inner.slice(0, at), value: inner.slice(at + 1) }
}

/** Follows a path; undefined when a part is missing. */
export const lookupPath = (root: YamlNode, path: readonly string[]): YamlNode | undefined => {
  let node: YamlNode | undefined = root
  for (const part of path) {
    node = step(node, part)
    if (!node) return undefined
  }
  return node
}

/** Follows a path and makes what is missing: maps and lists on the way as the next part needs, `kind` at its end. */
export const createPath = (root: YamlNode, path: readonly string[], kind: NodeKind): YamlNode | undefined => {
  let node: YamlNode = root
  for (let i = 0; i < path.length; i++) {
    const part = path[i]!
    const next: YamlNode | undefined = step(node, part)
    if (next) {
      node = next
      continue
    }
    const made = makePart(node, part, path[i + 1], kind)
    if (!made) return undefined
    node = made
  }
  return node
}

const makePart = (node: YamlNode, part: string, next: string | undefined, kind: NodeKind): YamlNode | undefined => {
  if (INDEX.test(part) || part === '-') return undefined
  if (part.startsWith('[') && part.endsWith(']')) {
    const { name, value } = splitMatch(part)
    const item = name === '' ? scalarNode(value) : new YamlNode('map', '!!map', '')
    if (name !== '') item.content.push(scalarNode(name), scalarNode(value))
    node.content.push(item)
    return item
  }
  const isList = next !== undefined && ((next.startsWith('[') && next.endsWith(']')) || /^\d+$/.test(next))
  const made = emptyNode(next === undefined ? kind : isList ? 'seq' : 'map')
  node.content.push(scalarNode(part), made)
  return made
}
