import { emitNode } from '../../yaml/emit-node.ts'
import { field, mapNode, type NodeKind, scalarNode, type YamlNode } from '../../yaml/node.ts'
import { Parser } from '../../yaml/parser.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { emptyNode, expectKind, isIndex, isMatch, kindFor, splitMatch, WrongKind } from '../node-path.ts'
import { compilePattern } from '../pattern.ts'

/** The nodes that a field path selects: `*` is every element, `[name=pattern]` the matching ones, a number one of them. */
export const matchPath = (node: YamlNode, path: readonly string[], create: NodeKind | undefined): YamlNode[] => {
  const [part, ...rest] = path
  if (part === undefined) return [node]
  if (isMatch(part)) return matchElements(node, part, rest, create)
  expectKind(node, kindOfHolder(part))
  if (isIndex(part)) return matchIndex(node, part, rest, create)
  if (part === '*') return node.content.flatMap(item => matchPath(item, rest, create))
  return matchField(node, part, rest, create)
}

/** The kind of node that a step applies to; an empty name applies to text. */
const kindOfHolder = (part: string): NodeKind =>
  part === '' ? 'scalar' : part === '*' || isIndex(part) || isMatch(part) ? 'seq' : 'map'

type Match = (node: YamlNode, part: string, rest: readonly string[], create: NodeKind | undefined) => YamlNode[]

const matchField: Match = (node, name, rest, create) => {
  let found = field(node, name)
  if (!found) {
    if (!create) return []
    found = emptyNode(kindFor(rest[0], create))
    node.content.push(scalarNode(name), found)
  }
  const [next] = rest
  return matchPath(found.kind === 'scalar' && next !== undefined ? parsedText(found.value, next) : found, rest, create)
}

/** Text that contains YAML or JSON is searched too, though only `replaceInText` can modify it. */
const parsedText = (text: string, next: string): YamlNode => {
  const document = new Parser(text).next()
  if (!document) throw new WrongKind(kindOfHolder(next), '', 'null\n')
  return document.root
}

const matchIndex: Match = (node, part, rest, create) => {
  const index = Number(part)
  const { content } = node
  if (create && content.length === index) content.push(emptyNode(kindFor(rest[0], create)))
  if (index >= content.length)
    throw new KustomizeError(`index ${index} specified but only ${content.length} elements found`)
  return matchPath(content[index]!, rest, create)
}

const matchElements: Match = (node, part, rest, create) => {
  const { name, value } = splitMatch(part)
  expectKind(node, 'seq')
  const found = select(node.content, name, value, rest, create)
  if (found.length > 0 || !create) return found
  const item = scalarNode(value)
  const element = name === '' ? item : mapNode([scalarNode(name), item])
  node.content.push(element)
  return select([element], name, value, rest, create)
}

const select = (
  elements: readonly YamlNode[],
  name: string,
  pattern: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] => {
  if (elements.length === 0) return []
  const matches = compile(pattern)
  return elements.flatMap(element => {
    const held = name === '' ? element : field(element, name)
    if (!held || !matches(textOf(held))) return []
    return name === '' ? [element] : matchPath(element, rest, create)
  })
}

/** Patterns without special characters match as substrings. */
const compile = (pattern: string): ((text: string) => boolean) =>
  /^[A-Za-z0-9_/-]*$/.test(pattern) ? text => text.includes(pattern) : compilePattern(pattern)

/** A node as kyaml prints it, including quotes. */
const textOf = (node: YamlNode): string => emitNode(node).trim()
