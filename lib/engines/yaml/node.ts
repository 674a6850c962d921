/** The YAML document tree, including style and comments, so that it can be edited and written back. */

export type NodeKind = 'map' | 'seq' | 'scalar' | 'alias'

/** The style of a node when read or to write; '' is block style for collections and plain for scalars. */
export type NodeStyle = '' | 'flow' | 'single' | 'double' | 'literal' | 'folded'

/** Comment lines with their `#`, joined by newlines; '' if there are none. */
export interface Comments {
  head: string
  line: string
  foot: string
}

export class YamlNode {
  kind: NodeKind
  /** Short form: `!!str`, `!!int`, `!!map`, `!custom`. '' = undecided: resolved from the text when the plain scalar is read. */
  tag: string
  /** A scalar's unquoted text; an alias's anchor name. */
  value: string
  style: NodeStyle
  /** Items of a sequence; keys and values of a mapping, alternating. */
  content: YamlNode[]
  /** Whether the text had an explicit tag. */
  tagged = false
  /** Whether the tag was a lone `!`: Kubernetes' parser reads such a scalar as a string, while kyaml ignores the tag. */
  nonSpecific = false
  line = 0
  comments: Comments | undefined = undefined
  anchor: string | undefined = undefined
  alias: YamlNode | undefined = undefined

  constructor(kind: NodeKind, tag: string, value: string, style: NodeStyle = '', content: YamlNode[] = []) {
    this.kind = kind
    this.tag = tag
    this.value = value
    this.style = style
    this.content = content
  }
}

/** A scalar as a writer may render it: without a tag, its text decides on its type. */
export const scalarNode = (value: string, tag = '', style: NodeStyle = ''): YamlNode =>
  new YamlNode('scalar', tag, value, style)

/** A scalar that stays a string whatever its text. */
export const stringNode = (value: string): YamlNode => new YamlNode('scalar', '!!str', value)

/** A block mapping. `content` has keys and values in turn. */
export const mapNode = (content: YamlNode[] = []): YamlNode => new YamlNode('map', '!!map', '', '', content)

/** A block sequence. */
export const seqNode = (content: YamlNode[] = []): YamlNode => new YamlNode('seq', '!!seq', '', '', content)

export const isNull = (node: YamlNode | undefined): boolean => node !== undefined && node.tag === '!!null'

/** Absent or null: what kustomize calls missing. */
export const isMissing = (node: YamlNode | undefined): node is undefined => node === undefined || node.tag === '!!null'

/** The value under a key of a mapping; undefined for any other node. */
export const field = (node: YamlNode | undefined, key: string): YamlNode | undefined => {
  if (node?.kind !== 'map') return undefined
  const { content } = node
  for (let i = 0; i < content.length; i += 2) if (content[i]!.value === key) return content[i + 1]
  return undefined
}

/** The value at a path of keys; undefined where a key is missing, or a node on the way is no mapping. */
export const lookup = (node: YamlNode | undefined, ...path: readonly string[]): YamlNode | undefined => {
  let found = node
  for (const key of path) found = field(found, key)
  return found
}

/** Where a key is in a mapping's content, before its value; -1 if it is missing. */
export const indexOfKey = (map: YamlNode, key: string): number => {
  for (let i = 0; i < map.content.length; i += 2) if (map.content[i]!.value === key) return i
  return -1
}

/** Sets the value of a key: in place if the key exists, otherwise at the end. */
export const setField = (map: YamlNode, key: string, value: YamlNode): void => {
  const at = indexOfKey(map, key)
  if (at < 0) map.content.push(scalarNode(key, '!!str'), value)
  else map.content[at + 1] = value
}

/** Removes a key; returns whether it existed. */
export const clearField = (map: YamlNode, key: string): boolean => {
  const at = indexOfKey(map, key)
  if (at < 0) return false
  map.content.splice(at, 2)
  return true
}

/** A deep copy. Aliases keep referring to the original nodes. */
export const cloneNode = (node: YamlNode): YamlNode => {
  const { content } = node
  const copy = new YamlNode(node.kind, node.tag, node.value, node.style, content.length ? content.map(cloneNode) : [])
  copy.tagged = node.tagged
  copy.nonSpecific = node.nonSpecific
  copy.line = node.line
  if (node.comments) copy.comments = { ...node.comments }
  copy.anchor = node.anchor
  copy.alias = node.alias
  return copy
}

/** A deep copy that preserves nodes shared between several places; `made` maps originals to copies. */
export const cloneShared = (node: YamlNode, made: Map<YamlNode, YamlNode>): YamlNode => {
  const known = made.get(node)
  if (known) return known
  const { content } = node
  const copy = new YamlNode(node.kind, node.tag, node.value, node.style)
  made.set(node, copy)
  copy.content = content.map(inner => cloneShared(inner, made))
  copy.tagged = node.tagged
  copy.nonSpecific = node.nonSpecific
  copy.line = node.line
  if (node.comments) copy.comments = { ...node.comments }
  copy.anchor = node.anchor
  if (node.alias) copy.alias = cloneShared(node.alias, made)
  return copy
}

/** The comments of a node, created on first use. */
export const commentsOf = (node: YamlNode): Comments => {
  node.comments ??= { head: '', line: '', foot: '' }
  return node.comments
}
