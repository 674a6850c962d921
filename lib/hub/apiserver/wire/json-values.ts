const [quote, backslash, comma, colon, openBracket, closeBracket, openBrace, closeBrace] = [...'"\\,:[]{}'].map(
  character => character.charCodeAt(0),
)

/** What a JSON text can hold at most, as far as that is known without parsing it. */
export interface JsonExtent {
  /** Values and names: objects of many names take longer to work on than lists of as many values. */
  readonly values: number
  /** Levels of nesting. */
  readonly depth: number
}

/**
 * Counts what is outside of strings: one more value than commas and opening brackets, and a name for each colon. Stops beyond `most` values.
 * What is not JSON has an extent, too.
 */
export const extentOfJson = (text: string, most: number): JsonExtent => {
  let [values, level, depth] = [1, 0, 0]
  for (let at = 0; at < text.length && values <= most; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfString(text, at + 1)
    else if (character === comma || character === colon) values++
    else if (character === openBracket || character === openBrace) {
      values++
      if (++level > depth) depth = level
    } else if (character === closeBracket || character === closeBrace) level--
  }
  return { values, depth }
}

/** Where the closing quotation mark is; the end of the text if there is none. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
