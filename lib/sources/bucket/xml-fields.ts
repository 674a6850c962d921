const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** The text of the first element with that name; '' if there is none. For the flat responses of object stores only. */
export const xmlText = (xml: string, name: string): string => {
  const [first = ''] = xmlElements(xml, name)
  return decode(first)
}

/** The raw contents of all elements with that name, which must not be nested. */
export const xmlElements = (xml: string, name: string): string[] => {
  const found: string[] = []
  const [open, close] = [`<${name}`, `</${name}>`]
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at + 1)) {
    const after = xml[at + open.length]
    if (after !== '>' && after !== ' ' && after !== '\t' && after !== '\n') continue
    const start = xml.indexOf('>', at) + 1
    const end = xml.indexOf(close, start)
    if (start === 0 || end < 0) break
    found.push(xml.slice(start, end))
    at = end
  }
  return found
}

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/g, (all, hex, decimal, name) => {
    if (name !== undefined) return entities[name] ?? all
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
