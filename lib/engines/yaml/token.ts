import type { NodeStyle } from './node.ts'

export type TokenType =
  | 'stream-end'
  | 'version-directive'
  | 'tag-directive'
  | 'document-start'
  | 'document-end'
  | 'block-seq-start'
  | 'block-map-start'
  | 'block-end'
  | 'flow-seq-start'
  | 'flow-seq-end'
  | 'flow-map-start'
  | 'flow-map-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'

/** A position in the text: offset, 0-based line and column. */
export interface Mark {
  readonly index: number
  readonly line: number
  readonly column: number
}

export interface Token {
  readonly type: TokenType
  readonly start: Mark
  /** Text of a scalar, name of an anchor or alias, handle of a tag or directive. */
  readonly value: string
  /** The part of a tag after its handle; the prefix of a tag directive. */
  readonly suffix: string
  readonly style: NodeStyle
}

/** A token; parts that its type doesn't have are empty. */
export const token = (type: TokenType, start: Mark, value = '', style: NodeStyle = '', suffix = ''): Token => ({
  type,
  start,
  value,
  suffix,
  style,
})
