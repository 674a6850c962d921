const lineHeight = 20
const margin = 20
const bar = 32
const charWidth = 7.85

const colours: readonly (readonly [RegExp, string])[] = [
  [/^\$ .*/, '#e6edf3'],
  [/^✔.*/, '#7ee787'],
  [/^►.*/, '#79c0ff'],
  [/^✗.*/, '#ff7b72'],
  [/.*/, '#9da7b3'],
]

/** An SVG of a terminal that shows these lines; a command is a line that begins with `$ `. */
export const terminalPicture = (session: string): string => {
  const lines = session.split('\n')
  const width = Math.ceil(Math.max(...lines.map(line => [...line].length)) * charWidth) + 2 * margin
  const height = bar + lines.length * lineHeight + margin
  const texts = lines.flatMap((line, index) => {
    if (line === '') return []
    const colour = colours.find(([pattern]) => pattern.test(line))![1]
    const weight = line.startsWith('$ ') ? ' font-weight="bold"' : ''
    const y = bar + (index + 1) * lineHeight
    return [`<text x="${margin}" y="${y}" fill="${colour}"${weight} xml:space="preserve">${escaped(line)}</text>`]
  })
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `<circle cx="${20 + i * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${dots.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
${texts.join('\n')}
</g>
</svg>
`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
