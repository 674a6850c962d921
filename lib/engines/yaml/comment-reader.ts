import { CR, isBlank, isBreak, isBreakOrEnd, LF } from './characters.ts'
import type { CommentContext, CommentQueue } from './comment-queue.ts'
import type { CommentSink } from './comment-sink.ts'
import type { Cursor } from './cursor.ts'
import { commentsOf, type YamlNode } from './node.ts'
import type { Mark, Token } from './token.ts'

/** A comment that waits for its token. */
interface PendingComment {
  /** The range that was scanned for it. */
  readonly from: number
  readonly end: number
  readonly start: Mark
  /** It belongs to the first token that starts here or later. */
  token: number
  kind: 'head' | 'line' | 'foot'
  readonly text: string
}

const HASH = 35

/**
 * Attaches comments as go-yaml v3 does: a comment above a node is its head, one after it on the line its line comment, and one below it,
 * followed by an empty line or the end of its block, its foot.
 */
export const commentReader = (): { queue: CommentQueue; sink: CommentSink } => {
  const pending: PendingComment[] = []
  const released = { head: '', line: '', foot: '', stem: '' }
  return { queue: commentQueue(pending, released), sink: commentSink(released) }
}

type Released = Record<'head' | 'line' | 'foot' | 'stem', string>

const commentQueue = (pending: PendingComment[], released: Released): CommentQueue => ({
  scanLine(cursor, mark) {
    if (breaksBefore(cursor) > 0) return
    let at = 0
    while (isBlank(cursor.at(at))) at++
    if (cursor.at(at) !== HASH) return
    cursor.pos += at
    const start = cursor.mark()
    const text = takeLine(cursor)
    pending.push({ from: 0, end: 0, start, token: mark.index, kind: 'line', text })
  },

  scan(cursor, context) {
    readLines(cursor, context, comment => pending.push(comment))
  },

  blockEnd(mark, indent) {
    let end = mark
    let stop = mark.index
    for (let i = pending.length - 1; i >= 0; i--) {
      const comment = pending[i]!
      if (comment.end < stop) break
      if (comment.start.column === indent) end = comment.start
      stop = comment.from
    }
    return end
  },

  release(token) {
    while (pending.length > 0 && token.start.index >= pending[0]!.token) {
      const { kind, text } = pending[0]!
      // A comment above the end of a block is the head of the next node.
      if (kind === 'head' && token.type === 'block-end') return
      released[kind] += released[kind] === '' ? text : `\n${text}`
      pending.shift()
    }
  },
})

/** The number of line breaks between the cursor and the last character that is not white space. */
const breaksBefore = ({ text, pos }: Cursor): number => {
  let breaks = 0
  for (let i = pos - 1; ; i--) {
    const c = text.charCodeAt(i)
    if (isBreak(c)) breaks += c === LF && text.charCodeAt(i - 1) === CR ? 0 : 1
    else if (!isBlank(c)) return breaks
  }
}

const takeLine = (cursor: Cursor): string => {
  const from = cursor.pos
  while (!isBreakOrEnd(cursor.at())) cursor.pos++
  return cursor.text.slice(from, cursor.pos)
}

/** Reads comment lines up to the next token, and separates feet of the previous node from heads of the next one. */
const readLines = (cursor: Cursor, context: CommentContext, push: (comment: PendingComment) => void): void => {
  const { from: began, indent, tokens, inFlow } = context
  const last = (tokens.at(-1)?.type === 'flow-entry' && tokens.at(-2)) || tokens.at(-1)
  const breaks = breaksBefore(cursor)
  const nextIndent = Math.max(indent, 0)
  const footLine = began.line > 0 ? cursor.line - breaks + 1 : -1

  let from = began.index
  let tokenAt = last?.start.index ?? 0
  let start = cursor.mark()
  let text = ''
  let recentEmpty = false
  let firstEmpty = breaks <= 1
  let line = cursor.line
  let column = cursor.column
  let at = cursor.pos

  const take = (kind: 'head' | 'foot', token: number): void => {
    if (text === '') return
    push({ from, end: at, start, token, kind, text })
    from = tokenAt = at
    text = ''
  }
  for (; ; at++, column++) {
    const c = cursor.text.charCodeAt(at)
    if (isBlank(c)) continue
    const closes = inFlow && (c === 93 || c === 125)
    if (closes || isBreakOrEnd(c)) {
      if (closes || !recentEmpty) {
        const isFoot = (start.line === footLine && last!.type !== 'value') || start.column < nextIndent
        if (closes || (firstEmpty && isFoot)) take('foot', start.column < nextIndent ? start.index : tokenAt)
        else text += '\n'
      }
      if (!isBreak(c)) break
      firstEmpty = false
      recentEmpty = true
      column = -1
      continue
    }
    if (column < nextIndent && column !== start.column) take('foot', tokenAt)
    if (c !== HASH) break
    if (text === '') start = { index: at, line, column }
    else text += '\n'
    recentEmpty = false
    while (cursor.pos < at) if (cursor.takeBreak() === '') cursor.pos++
    text += takeLine(cursor)
    // The loop consumes the line's own break.
    at = cursor.pos
    column = -1
    line = cursor.line
  }
  take('head', start.index)
}

const commentSink = (released: Released): CommentSink => {
  const clear = (): void => {
    released.head = released.line = released.foot = released.stem = ''
  }
  const put = (node: YamlNode, { head, line, foot }: Partial<Released>): void => {
    if (!head && !line && !foot && !node.comments) return
    const own = commentsOf(node)
    if (head !== undefined) own.head = head
    own.line = line ?? ''
    own.foot = foot ?? ''
  }
  return {
    attach(node) {
      put(node, released)
      clear()
    },
    attachStem(node) {
      if (released.stem === '') return
      put(node, { head: released.stem })
      released.stem = ''
    },
    attachEnd(node) {
      put(node, { line: released.line, foot: released.foot })
      clear()
      const key = node.content.at(-2)
      if (node.style !== 'flow' && key && node.comments?.foot) {
        commentsOf(key).foot = node.comments.foot
        node.comments.foot = ''
      }
    },
    headLength: () => released.head.length,
    splitStem(length, next: Token) {
      if (next.type !== 'block-seq-start' && next.type !== 'block-map-start') return
      released.stem = released.head.slice(0, length)
      released.head = released.head.slice(length + 1)
    },
    settlePair(map) {
      const { content } = map
      const key = content.at(-2)!
      const value = content.at(-1)!
      const before = content.at(-4)
      if (map.style !== 'flow' && before && key.comments?.foot) {
        commentsOf(before).foot = key.comments.foot
        key.comments.foot = ''
      }
      if (value.comments?.foot && !key.comments?.foot) {
        commentsOf(key).foot = value.comments.foot
        value.comments.foot = ''
      }
    },
    documentHead() {
      const { head } = released
      const [, own, rest] = /(.*)(?:\n\n|\n$)(.*)/s.exec(head) ?? [head, '', head]
      released.head = rest!
      return own!
    },
    documentFoot() {
      const foot = released.foot || released.head
      clear()
      return foot
    },
  }
}
