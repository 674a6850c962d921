import type { Comments, YamlNode } from '../../yaml/node.ts'
import type { ParsedDocument } from '../../yaml/parser.ts'
import { resolve } from '../../yaml/resolve.ts'
import { parseTimestamp } from '../../yaml/timestamp.ts'
import { SopsError } from '../sops-error.ts'
import { Branch, Comment, commentItem, type Item, type SopsValue, Timestamp } from '../tree.ts'

const maxDepth = 500
/** Aliases are written out: a small text may stand for a tree without end. */
const maxValues = 300_000
const maxInt64 = 2n ** 63n

/**
 * Turns parsed documents into trees. Comments become entries of their own, at the places where sops has them; which ones
 * stand before which value decides what is encrypted. Fails with SopsError `format`.
 */
export const yamlReader = (): ((document: ParsedDocument) => Branch) => {
  let values = 0

  const value = (node: YamlNode, commentsTaken: boolean, depth: number): SopsValue => {
    if (++values > maxValues) throw unsupported(`documents of more than ${maxValues} values`)
    if (depth > maxDepth) throw unsupported(`more than ${maxDepth} levels`)
    if (node.kind === 'alias') return value(node.alias!, false, depth + 1)
    if (node.kind === 'scalar') return scalar(node)
    return node.kind === 'map' ? new Branch(fields(node, commentsTaken, depth)) : items(node, commentsTaken, depth)
  }

  const items = ({ content, comments }: YamlNode, commentsTaken: boolean, depth: number): SopsValue[] => [
    ...(commentsTaken ? [] : [...commentsIn(comments?.head), ...commentsIn(comments?.line)]),
    ...content.flatMap(item => [
      ...commentsIn(item.comments?.head),
      ...commentsIn(item.comments?.line, true),
      value(item, true, depth + 1),
      ...commentsIn(item.comments?.foot),
    ]),
    ...(commentsTaken ? [] : commentsIn(comments?.foot)),
  ]

  const fields = (node: YamlNode, commentsTaken: boolean, depth: number): Item[] => {
    const { content, comments } = node
    const found: Item[] = []
    const seen = new Set<string>()
    const comment = (text: string | undefined, inline = false) =>
      found.push(...commentsIn(text, inline).map(commentItem))
    const around = commentsTaken ? undefined : comments
    comment(around?.head)
    comment(around?.line)
    for (let i = 0; i < content.length; i += 2) {
      const [keyNode, valueNode] = [content[i]!, content[i + 1]!]
      const own = ownComments(valueNode)
      const key = keyOf(keyNode)
      if (seen.has(key)) throw unsupported(`the key ${JSON.stringify(key)} twice in one mapping`)
      seen.add(key)
      comment(keyNode.comments?.head)
      comment(keyNode.comments?.line)
      comment(own?.head)
      comment(own?.line, true)
      found.push({ key, value: value(valueNode, isLeaf(valueNode), depth + 1) })
      comment(own?.foot)
      comment(keyNode.comments?.foot)
    }
    comment(around?.foot)
    return found
  }

  return ({ root, head, foot }) => {
    const top = root.kind === 'alias' ? root.alias! : root
    if (top.kind === 'seq') throw unsupported('sequences as documents')
    if (top.kind === 'scalar' && scalar(top) !== null) throw unsupported('values as documents')
    const content = top.kind === 'map' ? fields(top, false, 1) : []
    return new Branch([...commentsIn(head).map(commentItem), ...content, ...commentsIn(foot).map(commentItem)])
  }
}

const isLeaf = ({ kind }: YamlNode): boolean => kind === 'scalar' || kind === 'alias'

const ownComments = (node: YamlNode): Comments | undefined => (isLeaf(node) ? node.comments : undefined)

const commentsIn = (text: string | undefined, inline = false): Comment[] =>
  text ? text.split('\n').flatMap(line => (line === '' ? [] : [new Comment(line.slice(1), inline)])) : []

const keyOf = (node: YamlNode): string => {
  const target = node.kind === 'alias' ? node.alias! : node
  const key = target.kind === 'scalar' ? scalar(target) : undefined
  if (typeof key === 'string') return key
  throw unsupported('keys other than text')
}

/** As go-yaml decodes it into an interface{}. */
const scalar = (node: YamlNode): SopsValue => {
  const { value, tag, tagged, style } = node
  if (tagged ? !resolvedTags.has(tag) : style !== '' && style !== 'flow') {
    if (tag === '!!binary') return Buffer.from(value, 'base64')
    if (tag === '!!timestamp') return new Timestamp(parseTimestamp(value) ?? value)
    return tag === '!!float' ? Number(value) : value
  }
  const resolved = resolve(value, 'kyaml')
  switch (resolved.tag) {
    case '!!int':
      return integer(BigInt(resolved.value as number | bigint))
    case '!!timestamp':
      return new Timestamp(resolved.value as string)
    default:
      return resolved.value
  }
}

/** Of scalars whose text is read as if they had no tag. */
const resolvedTags = new Set(['!!int', '!!bool', '!!null'])

const integer = (value: bigint): bigint => {
  if (value < maxInt64) return value
  throw unsupported('integers beyond 64 bits')
}

const unsupported = (what: string): SopsError =>
  new SopsError('format', `Error unmarshaling input YAML: ${what} are not supported`)
