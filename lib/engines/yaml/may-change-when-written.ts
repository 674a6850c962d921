import { isBreak, TAB } from './characters.ts'
import type { YamlNode } from './node.ts'

/**
 * Whether go-yaml may write a scalar as a block (`|` or `>`) that reads back as another text, or not at all:
 * - in a folded text it inserts an empty line between a line of text and a more indented one, joins lines if the whole text begins with
 * white space, and adds to the empty lines that `>+` keeps;
 * - it writes no indentation hint for a leading tab, which then counts as bad indentation;
 * - the empty lines that `|+` keeps continue into the comments after it.
 */
export const mayChangeWhenWritten = ({ style, value }: YamlNode): boolean => {
  if (style === 'single' || style === 'double') return false
  const isLong = value.includes('\n')
  if (style !== 'literal' && style !== 'folded' && !isLong) return false
  return (style === 'folded' && isLong) || value.charCodeAt(0) === TAB || keepsBreaks(value)
}

/** Whether a block's header has a `+`. */
const keepsBreaks = (text: string): boolean =>
  isBreak(text.charCodeAt(text.length - 1)) && (text.length === 1 || isBreak(text.charCodeAt(text.length - 2)))
