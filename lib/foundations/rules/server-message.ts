/** Code points of a server's message that a condition shows. */
const maxMessageLength = 200

/**
 * What a server says went wrong, in its protocol's own form for errors, made fit for a condition, an event or a log: control
 * characters are escaped as in JSON, and after 200 characters it is cut.
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
 * What is told of a body that is in no form for errors: its length and type alone. An object may name any server, and its author
 * must not read there by the eyes of the hub. '' for an empty body.
 */
export const describeBody = (bytes: number, contentType: string | readonly string[] | undefined): string => {
  if (bytes === 0) return ''
  const [type = ''] = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,60}/i.exec([contentType].flat()[0] ?? '') ?? []
  return `${bytes} bytes${type && ` of ${type.toLowerCase()}`}`
}
