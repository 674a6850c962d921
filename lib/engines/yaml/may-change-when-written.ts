import { isBreak, TAB } from './characters.ts'
import type { YamlNode } from './node.ts'

/**
 * Whether go-yaml's writer may write a scalar as a block (`|` or `>`) that reads as another text, or not at all:
 * - in a folded text it sets an empty line between a line of text and a more indented one, lets lines run together where the
 *   whole text begins with white space, and adds to the empty lines that `>+` keeps;
 * - it gives no indentation hint for a tab at the start, which then counts as bad indentation;
 * - the empty lines that `|+` keeps run on into the comments written behind it.
 */
export const mayChangeWhenWritten = ({ style, value }: YamlNode): boolean => {
  if (style === 'single' || style === 'double') return false
  const isLong = value.includes('\n')
  if (style !== 'literal' && style !== 'folded' && !isLong) return false
  return (style === 'folded' && isLong) || value.charCodeAt(0) === TAB || keepsBreaks(value)
}

/** Whether a block's header says `+`. */
const keepsBreaks = (text: string): boolean =>
  isBreak(text.charCodeAt(text.length - 1)) && (text.length === 1 || isBreak(text.charCodeAt(text.length - 2)))
