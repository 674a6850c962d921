import { commentReader } from './comment-reader.ts'
import { type ParsedDocument, Parser } from './parser.ts'
import { decodeText } from './text.ts'

/** The first document of a text, with its comments where kyaml attaches them; undefined for an empty text. */
export const parseWithComments = (input: string | Uint8Array): ParsedDocument | undefined => {
  const { queue, sink } = commentReader()
  return new Parser(decodeText(input), queue, sink).next()
}
