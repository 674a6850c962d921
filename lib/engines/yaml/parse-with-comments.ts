import type { Budget } from '../../foundations/budget/budget.ts'
import { commentReader } from './comment-reader.ts'
import { type ParsedDocument, Parser, type ParserOptions } from './parser.ts'
import { decodeText } from './text.ts'

/** Parses the first document of a text, with comments attached as in kyaml; undefined for an empty text. */
export const parseWithComments = (input: string | Uint8Array, budget?: Budget): ParsedDocument | undefined =>
  documentsWithComments(input, budget).next().value

/** Parses all documents of a text, one after the other, with their comments. Throws a YamlError at an error. */
export function* documentsWithComments(
  input: string | Uint8Array,
  budget?: Budget,
  onScalar?: ParserOptions['onScalar'],
): Generator<ParsedDocument, undefined> {
  const { queue: comments, sink } = commentReader()
  const parser = new Parser(decodeText(input), { comments, sink, budget, onScalar })
  for (let next = parser.next(); next; next = parser.next()) yield next
}
