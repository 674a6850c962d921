const [quote, backslash, comma, colon, openBracket, closeBracket, openBrace, closeBrace] = [...'"\\,:[]{}'].map(
  character => character.charCodeAt(0),
)

/** The size of a JSON text, as far as known without parsing it. */
export interface JsonExtent {
  /** Values and names: objects with many names take longer to process than lists with as many values. */
  readonly values: number
  /** Levels of nesting. */
  readonly depth: number
}

/**
 * Counts outside of strings: one more value than commas and opening brackets, and a name per colon. Stops beyond `max` values. Also works
 * for invalid JSON.
 */
export const measureJson = (text: string, max: number): JsonExtent => {
  let [values, level, depth] = [1, 0, 0]
  for (let at = 0; at < text.length && values <= max; at++) {
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

/** The position of the closing quotation mark; the end of the text if there is none. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return text.length
}
