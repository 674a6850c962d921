/** JSON values as YAML, for people to read. Pure. */

/** Lines of a block: keys in their order, long texts as literal blocks. */
export const yamlLines = (value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.length === 0 ? ['[]'] : value.flatMap(item => listItem(yamlLines(item)))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
    return entries.length === 0 ? ['{}'] : entries.flatMap(([key, inner]) => entry(scalar(key), inner))
  }
  if (typeof value === 'string' && value.includes('\n') && /^[^\s][^\r\t\0]*$/.test(value)) return literal(value)
  return [scalar(value)]
}

const indented = (lines: readonly string[]): readonly string[] => lines.map(line => (line === '' ? '' : `  ${line}`))

const listItem = ([first = '', ...rest]: readonly string[]): readonly string[] => [`- ${first}`, ...indented(rest)]

const entry = (key: string, value: unknown): readonly string[] => {
  const [first = '', ...rest] = yamlLines(value)
  const isInline = typeof value !== 'object' || value === null || first === '[]' || first === '{}'
  if (isInline) return [`${key}: ${first}`, ...rest]
  return [`${key}:`, ...indented([first, ...rest])]
}

const literal = (text: string): readonly string[] => {
  const isEnded = text.endsWith('\n')
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n')
  return [isEnded ? '|' : '|-', ...indented(lines)]
}

/** Plain where YAML reads it as the same text, else as JSON, which YAML reads too. */
const scalar = (value: unknown): string => {
  if (typeof value !== 'string') return JSON.stringify(value) ?? 'null'
  const isPlain = /^[A-Za-z/][\w./@ ()+-]*$/.test(value) && !value.endsWith(' ') && !words.test(value)
  return isPlain ? value : JSON.stringify(value)
}

/** What YAML 1.1 or 1.2 takes for something else than text. */
const words = /^(?:y|n|yes|no|true|false|on|off|null)$/i
