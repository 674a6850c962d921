import { isUtf8 } from 'node:buffer'
import type { Comments, YamlNode } from '../../yaml/node.ts'
import type { ParsedDocument } from '../../yaml/parser.ts'
import { resolve } from '../../yaml/resolve.ts'
import { decodeBinary, scalarToJson } from '../../yaml/scalar-to-json.ts'
import { toJson } from '../../yaml/to-json.ts'
import { UnsupportedData } from '../../yaml/yaml-error.ts'
import { SopsError } from '../sops-error.ts'
import { Branch, Comment, commentItem, type Item, type SopsValue, Timestamp } from '../tree.ts'

const maxDepth = 500
const maxInt64 = 2n ** 63n

/**
 * Converts a parsed document to a tree. Comments become entries of their own, placed as in sops; the comments before a value decide whether
 * it is encrypted. Fails with SopsError `format`, or with a YamlError.
 */
export const readDocument = ({ root, head, foot }: ParsedDocument): Branch => {
  requireData(root)
  return new Branch([...commentItems(head), ...rootItems(root), ...commentItems(foot)])
}

/** sops decodes the document before walking it, which detects duplicate keys and limits the expansion of aliases. */
const requireData = (root: YamlNode): void => {
  try {
    toJson(root, { schema: 'kyaml' })
  } catch (error) {
    // sops supports data that JSON can't represent.
    if (!(error instanceof UnsupportedData)) throw error
  }
}

const rootItems = (node: YamlNode): Item[] => {
  if (node.kind === 'map') return fields(node, false, 1)
  if (node.kind === 'seq') throw unsupported('sequences as documents')
  if (node.kind === 'scalar' && node.tag !== '!!null') throw unsupported('values as documents')
  const { head, line, foot } = commentsOf(node)
  const above = [...commentItems(head), ...commentItems(line)]
  return node.alias ? [...above, ...rootItems(node.alias), ...commentItems(foot)] : above
}

const value = (node: YamlNode, commentsTaken: boolean, depth: number): SopsValue => {
  if (node.kind === 'alias') return value(node.alias!, false, depth)
  if (node.kind === 'scalar') return scalar(node)
  if (depth > maxDepth) throw unsupported(`more than ${maxDepth} levels`)
  return node.kind === 'map' ? new Branch(fields(node, commentsTaken, depth)) : items(node, commentsTaken, depth)
}

const items = (node: YamlNode, commentsTaken: boolean, depth: number): SopsValue[] => {
  const around = commentsTaken ? none : commentsOf(node)
  return [
    ...commentsIn(around.head),
    ...commentsIn(around.line),
    ...node.content.flatMap(item => {
      const { head, line, foot } = commentsOf(item)
      return [...commentsIn(head), ...commentsIn(line, true), value(item, true, depth + 1), ...commentsIn(foot)]
    }),
    ...commentsIn(around.foot),
  ]
}

const fields = (node: YamlNode, commentsTaken: boolean, depth: number): Item[] => {
  const around = commentsTaken ? none : commentsOf(node)
  const found = [...commentItems(around.head), ...commentItems(around.line)]
  for (let i = 0; i < node.content.length; i += 2) {
    const [keyNode, valueNode] = [node.content[i]!, node.content[i + 1]!]
    const isLeaf = valueNode.kind === 'scalar' || valueNode.kind === 'alias'
    const key = commentsOf(keyNode)
    const own = isLeaf ? commentsOf(valueNode) : none
    found.push(
      ...commentItems(key.head),
      ...commentItems(key.line),
      ...commentItems(own.head),
      ...commentItems(own.line, true),
      { key: keyOf(keyNode), value: value(valueNode, isLeaf, depth + 1) },
      ...commentItems(own.foot),
      ...commentItems(key.foot),
    )
  }
  return [...found, ...commentItems(around.foot)]
}

const none: Comments = { head: '', line: '', foot: '' }

const commentsOf = ({ comments = none }: YamlNode): Comments => comments

const commentsIn = (text: string, inline = false): Comment[] =>
  text.split('\n').flatMap(line => (line === '' ? [] : [new Comment(line.slice(1), inline)]))

const commentItems = (text: string, inline = false): Item[] => commentsIn(text, inline).map(commentItem)

const keyOf = (node: YamlNode): string => {
  const key = scalar(node.alias ?? node)
  if (typeof key === 'string') return key
  throw unsupported('keys other than text')
}

/** As go-yaml decodes it into an interface{}. */
const scalar = (node: YamlNode): SopsValue => {
  if (node.tag === '!!binary') {
    const bytes = decodeBinary(node.value)
    return isUtf8(bytes) ? bytes.toString() : bytes
  }
  const decoded = scalarToJson(node, 'kyaml')
  switch (node.tag === '!' ? resolve(node.value, 'kyaml').tag : node.tag) {
    case '!!int':
      return integer(BigInt(decoded as number | bigint))
    case '!!timestamp':
      return new Timestamp(decoded as string)
    default:
      return decoded as string | boolean | null
  }
}

const integer = (value: bigint): bigint => {
  if (value < maxInt64) return value
  throw unsupported('integers beyond 64 bits')
}

const unsupported = (what: string): SopsError =>
  new SopsError('format', `Error unmarshaling input YAML: ${what} are not supported`)
