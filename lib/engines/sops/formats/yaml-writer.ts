import { formatFloat } from '../../../foundations/go/format-float.ts'
import { commentsOf, mapNode, scalarNode, seqNode, type YamlNode } from '../../yaml/node.ts'
import { Branch, Comment, type SopsValue, Timestamp } from '../tree.ts'

/** Converts a tree to the YAML nodes that sops writes. */
export const toYamlNode = (value: SopsValue): YamlNode => {
  if (value instanceof Comment) return scalarNode('null')
  if (value instanceof Branch) return mapping(value)
  if (isList(value)) return sequence(value)
  if (value instanceof Timestamp) return scalarNode(value.text)
  if (value instanceof Uint8Array) return binaryNode(value)
  if (typeof value === 'string') return textNode(value)
  return scalarNode(typeof value === 'number' ? writeFloat(value) : String(value))
}

const isList = (value: SopsValue): value is readonly SopsValue[] => Array.isArray(value)

const mapping = ({ items }: Branch): YamlNode =>
  withEntries(
    mapNode(),
    items.map(({ key, value }) => (key instanceof Comment ? key : [textNode(key), toYamlNode(value)])),
  )

const sequence = (values: readonly SopsValue[]): YamlNode =>
  withEntries(
    seqNode(),
    values.map(value => (value instanceof Comment ? value : [toYamlNode(value)])),
  )

/** A comment, a key with its value, or an item. */
type Entry = Comment | readonly [YamlNode, YamlNode?]

/** Comments are attached to what follows them, above or behind it. The last ones go below. */
const withEntries = (node: YamlNode, entries: readonly Entry[]): YamlNode => {
  const waiting = waitingComments()
  let last: YamlNode | undefined
  for (const entry of entries) {
    if (entry instanceof Comment) {
      waiting.add(entry)
      continue
    }
    if (!last) waiting.above(node)
    const [first, value] = entry
    waiting.above(first)
    waiting.behind(value ?? first)
    node.content.push(first, ...(value ? [value] : []))
    last = first
  }
  waiting.below(last, node)
  return node
}

const waitingComments = () => {
  let head: string[] = []
  let inline: string[] = []
  const join = (...parts: string[]): string => parts.filter(Boolean).join('\n')
  const text = (comments: readonly string[]): string => comments.map(comment => `#${comment}`).join('\n')
  return {
    add: ({ text, inline: isInline }: Comment) => (isInline ? inline : head).push(text),
    above: (node: YamlNode) => {
      const comments = commentsOf(node)
      comments.head = join(text(head), comments.head)
      head = []
    },
    behind: (node: YamlNode) => {
      const comments = commentsOf(node)
      comments.line = join(comments.line, text(inline))
      inline = []
    },
    below: (last: YamlNode | undefined, parent: YamlNode) => {
      const comments = commentsOf(last ?? parent)
      const said = text([...head, ...inline])
      if (last) comments.foot = join(comments.foot, said)
      else comments.head = join(said, comments.head)
    },
  }
}

const oldBoolean = /^([yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/
const base60 = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/

/** Quoted if a YAML 1.1 reader would take the plain text for another type. */
const textNode = (text: string): YamlNode => {
  // go-yaml writes this text as a merge key: it reads back the same.
  if (text === '<<') return scalarNode(text, '!!merge')
  return scalarNode(text, '!!str', oldBoolean.test(text) || base60.test(text) ? 'double' : '')
}

const writeFloat = (value: number): string => {
  if (Number.isFinite(value)) return formatFloat(value, 'g', -1)
  return Number.isNaN(value) ? '.nan' : value === Number.POSITIVE_INFINITY ? '.inf' : '-.inf'
}

const binaryNode = (bytes: Uint8Array): YamlNode => scalarNode(Buffer.from(bytes).toString('base64'), '!!binary')
