const [quote, backslash, comma, openBracket, openBrace] = [...'"\\,[{'].map(character => character.charCodeAt(0))

/**
 * The most values that a JSON text can hold, told without parsing it: one more than commas and opening brackets outside of strings. Stops
 * counting beyond `most`. What is not JSON has a number, too.
 */
export const countJsonValues = (text: string, most: number): number => {
  let count = 1
  for (let at = 0; at < text.length && count <= most; at++) {
    const character = text.charCodeAt(at)
    if (character === quote) at = endOfString(text, at + 1)
    else if (character === comma || character === openBracket || character === openBrace) count++
  }
  return count
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
