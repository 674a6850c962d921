import type { YamlNode } from './node.ts'
import type { Token } from './token.ts'

/** Where the parser lays released comments down. */
export interface CommentSink {
  /** Gives the pending comments to a node that just began. */
  attach(node: YamlNode): void
  /** Gives a block collection the comment that stood before its dash. */
  attachStem(node: YamlNode): void
  /** Comments that were pending when a collection ended. */
  attachEnd(node: YamlNode): void
  headLength(): number
  splitStem(headLength: number, next: Token): void
  /** Sorts the comments around a mapping's newest key and value. */
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
