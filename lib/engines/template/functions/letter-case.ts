/** Go changes the case of single characters; JavaScript may map one to two, or depend on its neighbours. */

const single = (before: string, after: string): string => ([...after].length === 1 ? after : before)

/** The capital of a Greek letter with iota subscript has the iota beside it, and is its title case too. */
const IOTA_BELOW = /[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]/
const CAPITALS: Readonly<Record<string, string>> = { '\u1fb3': '\u1fbc', '\u1fc3': '\u1fcc', '\u1ff3': '\u1ffc' }

/** unicode.ToUpper of one character: the same character where upper case takes two (`ß`). */
export const upperOf = (character: string): string => {
  if (IOTA_BELOW.test(character)) return String.fromCharCode(character.charCodeAt(0) + 8)
  return CAPITALS[character] ?? single(character, character.toUpperCase())
}

/** The lower case of capital I with a dot is a plain i. */
export const lowerOf = (character: string): string =>
  character === '\u0130' ? 'i' : single(character, character.toLowerCase())

/** Title case: of a digraph only the first letter is a capital. Georgian has no title case. */
export const titleOf = (character: string): string => {
  const twoInOne = 'ǅǈǋǲ'.split('').find(title => lowerOf(title) === lowerOf(character))
  return twoInOne ?? (/[\u10d0-\u10ff]/.test(character) ? character : upperOf(character))
}

const mapped = (change: (text: string) => string, changeOne: (character: string) => string) => (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
  /^[\x00-\x7f]*$/.test(text) ? change(text) : [...text.toWellFormed()].map(changeOne).join('')

/** strings.ToUpper and ToLower. */
export const upper = mapped(text => text.toUpperCase(), upperOf)
export const lower = mapped(text => text.toLowerCase(), lowerOf)
