import { createHash } from 'node:crypto'
import { goJson } from '../yaml/go-json.ts'
import type { JsonObject, JsonValue } from '../yaml/json-value.ts'
import { field, lookup, type YamlNode } from '../yaml/node.ts'
import { toJson } from '../yaml/to-json.ts'
import type { Resource } from './resource.ts'

const DIGITS: Readonly<Record<string, string>> = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' }

/** Ten characters that change with the content of a ConfigMap or Secret, and spell nothing. */
export const nameHash = (resource: Resource): string => {
  const hex = createHash('sha256').update(encoded(resource)).digest('hex').slice(0, 10)
  return hex.replace(/[013ae]/g, digit => DIGITS[digit]!)
}

const encoded = (resource: Resource): string => {
  const root = resource.view!
  const { kind } = resource
  // kustomize looks the name up under the single key `metadata/name`, which is never there.
  const name = ''
  if (kind === 'ConfigMap') return goJson(withMap({ kind, name, data: dataOf(root, 'data') }, root, 'binaryData'))
  if (kind === 'Secret') {
    const type = field(root, 'type')?.value ?? ''
    return goJson(withMap({ kind, type, name, data: dataOf(root, 'data') }, root, 'stringData'))
  }
  return goJson(goNode(root))
}

const withMap = (object: JsonObject, root: YamlNode, key: string): JsonObject =>
  field(root, key)?.kind === 'map' ? { ...object, [key]: dataOf(root, key) } : object

/** A mapping as it is, a scalar as text, '' where there is none. */
const dataOf = (root: YamlNode, key: string): JsonValue => {
  const node = lookup(root, key)
  if (!node) return ''
  return node.kind === 'scalar' ? node.value : toJson(node, { schema: 'kyaml' })
}

const KINDS = { map: 4, seq: 2, scalar: 8, alias: 16 } as const
const STYLES = { '': 0, double: 2, single: 4, literal: 8, folded: 16, flow: 32 } as const

/** Other kinds are hashed as Go writes a yaml.Node: its public fields. */
const goNode = (node: YamlNode): JsonValue => ({
  Kind: KINDS[node.kind],
  Style: STYLES[node.style] + (node.tagged ? 1 : 0),
  Tag: node.tag,
  Value: node.value,
  Anchor: node.anchor ?? '',
  Alias: null,
  Content: node.content.length > 0 ? node.content.map(goNode) : null,
  HeadComment: node.comments?.head ?? '',
  LineComment: node.comments?.line ?? '',
  FootComment: node.comments?.foot ?? '',
  Line: node.line,
  Column: 0,
})
