import { emitNode } from '../../yaml/emit-node.ts'
import { field, isMissing, type NodeKind, scalarNode, YamlNode } from '../../yaml/node.ts'
import { Parser } from '../../yaml/parser.ts'
import { KustomizeError } from '../kustomize-error.ts'
import { emptyNode, expectKind, splitMatch } from '../node-path.ts'
import { compilePattern } from '../pattern.ts'

/** The nodes that a field path names: `*` is every element, `[name=pattern]` those that match, a number one of them. */
export const matchPath = (
  node: YamlNode | undefined,
  path: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] => {
  if (path.length === 0) return node ? [node] : []
  const [part, ...rest] = path as [string, ...string[]]
  if (/^\+?\d+$/.test(part)) return matchIndex(node, part, rest, create)
  if (part.startsWith('[') && part.endsWith(']')) return matchElements(node, part, rest, create)
  if (part === '*') {
    expectKind(node, 'seq')
    return (node?.content ?? []).flatMap(item => matchPath(item, rest, create))
  }
  return matchField(node, part, rest, create)
}

/** What has to be made before the next part can be followed. */
const kindFor = (next: string | undefined, last: NodeKind): NodeKind => {
  if (next === undefined || next === '') return last
  return (next.startsWith('[') && next.endsWith(']')) || /^\+?\d+$/.test(next) ? 'seq' : 'map'
}

const matchField = (
  node: YamlNode | undefined,
  name: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] => {
  if (!isMissing(node)) expectKind(node, 'map')
  let found = isMissing(node) ? undefined : field(node, name)
  if (!found) {
    if (!create) return []
    found = emptyNode(kindFor(rest[0], create))
    found.tag = ''
    if (node) {
      expectKind(node, 'map')
      node.content.push(scalarNode(name), found)
    }
  }
  if (found.kind === 'scalar' && rest.length > 0) return matchPath(parsedText(found.value), rest, create)
  return matchPath(found, rest, create)
}

/** Text that holds YAML or JSON is looked into, though only `replaceInText` can change it. */
const parsedText = (text: string): YamlNode | undefined => new Parser(text).next()?.root

const matchIndex = (
  node: YamlNode | undefined,
  part: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] => {
  const index = Number(part)
  expectKind(node, 'seq')
  const elements = node?.content ?? []
  if (create && elements.length === index) elements.push(untyped(kindFor(rest[0], create)))
  if (index >= elements.length)
    throw new KustomizeError(`index ${index} specified but only ${elements.length} elements found`)
  return matchPath(elements[index], rest, create)
}

const untyped = (kind: NodeKind): YamlNode => new YamlNode(kind, '', '')

const matchElements = (
  node: YamlNode | undefined,
  part: string,
  rest: readonly string[],
  create: NodeKind | undefined,
): YamlNode[] => {
  const { name, value } = splitMatch(part)
  expectKind(node, 'seq')
  const matches = compile(value)
  const select = (): YamlNode[] =>
    (node?.content ?? []).flatMap(item => {
      if (name === '') return matches(textOf(item)) ? [item] : []
      const found = field(item, name)
      return found && matches(textOf(found)) ? matchPath(item, rest, create) : []
    })
  const found = select()
  if (found.length > 0 || !create || !node) return found
  const element = name === '' ? scalarNode(value) : new YamlNode('map', '', '')
  if (name !== '') element.content.push(scalarNode(name), scalarNode(value))
  node.content.push(element)
  return select()
}

/** Patterns without special characters only have to be contained. */
const compile = (pattern: string): ((text: string) => boolean) =>
  /^[A-Za-z0-9_/-]*$/.test(pattern) ? text => text.includes(pattern) : compilePattern(pattern)

/** A node as kyaml prints it, quotes and all. */
const textOf = (node: YamlNode): string => emitNode(node).trim()
