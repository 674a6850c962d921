/** Maximum code points of a server's message in a condition. */
const maxMessageLength = 200

/**
 * A server's error message, in its protocol's error format, made safe for a condition, an event or a log: escapes control characters as in
 * JSON, and truncates after 200 characters.
 */
export const serverMessage = (text: string): string => {
  const characters = [...text.trim()]
  const shown = characters.slice(0, maxMessageLength).join('')
  const escaped = shown.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, escapeOf)
  return characters.length > maxMessageLength ? `${escaped}...` : escaped
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escapeOf = (character: string): string =>
  short[character] ?? `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`

/**
 * The description of a body that is not in an error format: only its length and type. An object may name any server, and its author must not
 * be able to read responses through the hub. '' for an empty body.
 */
export const describeBody = (bytes: number, contentType: string | readonly string[] | undefined): string => {
  if (bytes === 0) return ''
  const [type = ''] = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,60}/i.exec([contentType].flat()[0] ?? '') ?? []
  return `${bytes} bytes${type && ` of ${type.toLowerCase()}`}`
}
