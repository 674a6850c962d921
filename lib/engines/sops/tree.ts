/**
 * A document as sops sees it: ordered, with typed values and comments. Values are encrypted and authenticated one by one, in this order.
 */
export type SopsValue =
  | null
  | string
  | boolean
  /** An integer of 64 bits. */
  | bigint
  /** A float, even if it is a whole number. */
  | number
  /** Text that is not UTF-8: a binary file. */
  | Uint8Array
  | Timestamp
  | Comment
  | Branch
  | readonly SopsValue[]

/** RFC 3339, as Go writes it. */
export class Timestamp {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A comment without its `#`; `inline` ones follow a value on its line. */
export class Comment {
  readonly text: string
  readonly inline: boolean
  constructor(text: string, inline = false) {
    this.text = text
    this.inline = inline
  }
}

/** A mapping. Comments are entries between its fields, as keys without a value. */
export class Branch {
  readonly items: readonly Item[]
  constructor(items: readonly Item[]) {
    this.items = items
  }
}

export interface Item {
  readonly key: string | Comment
  readonly value: SopsValue
}

/** A comment between fields. */
export const commentItem = (comment: Comment): Item => ({ key: comment, value: null })

/** The value under a key, the last one if there are several; undefined if there is none. */
export const fieldOf = (branch: Branch, key: string): SopsValue | undefined =>
  branch.items.findLast(item => item.key === key)?.value
