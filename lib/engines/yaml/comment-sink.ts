import type { YamlNode } from './node.ts'
import type { Token } from './token.ts'

/** Receives released comments in the parser. */
export interface CommentSink {
  /** Attaches the pending comments to a node that just started. */
  attach(node: YamlNode): void
  /** Attaches the comment before its dash to a block collection. */
  attachStem(node: YamlNode): void
  /** Attaches the comments that were pending at the end of a collection. */
  attachEnd(node: YamlNode): void
  headLength(): number
  splitStem(headLength: number, next: Token): void
  /** Assigns the comments around a mapping's last key and value. */
  settlePair(map: YamlNode): void
  documentHead(): string
  documentFoot(): string
}

export const noSink: CommentSink = {
  attach() {},
  attachStem() {},
  attachEnd() {},
  headLength: () => 0,
  splitStem() {},
  settlePair() {},
  documentHead: () => '',
  documentFoot: () => '',
}
