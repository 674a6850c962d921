/** An authentication challenge of a registry (`WWW-Authenticate`). */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly service?: string }

const parameter = /([A-Za-z0-9_-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y
const MAX_LENGTH = 8192

/** The first supported challenge (RFC 9110); undefined if there is none. */
export const parseChallenge = (header: string): Challenge | undefined => {
  const text = header.slice(0, MAX_LENGTH)
  for (const { index, 0: scheme } of text.matchAll(/(?<![^\s,])(basic|bearer)(?=\s|$)/gi)) {
    const given = parametersFrom(text, index + scheme.length)
    if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
    const realm = given.get('realm')
    if (!realm) continue
    const service = given.get('service')
    return { scheme: 'bearer', realm, ...(service && { service }) }
  }
  return undefined
}

const parametersFrom = (text: string, start: number): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  let at = start
  for (;;) {
    at += /^[\s,]*/.exec(text.slice(at))![0].length
    parameter.lastIndex = at
    const match = parameter.exec(text)
    if (!match) return found
    found.set(match[1]!.toLowerCase(), match[2]?.replace(/\\(.)/g, '$1') ?? match[3]!)
    at = parameter.lastIndex
  }
}
