/** A table in kubectl's format: columns three spaces apart, without lines. Empty if there are no rows. */
export const table = (headers: readonly string[], rows: readonly (readonly string[])[]): string => {
  if (rows.length === 0) return ''
  const lines = [headers, ...rows]
  const widths = headers.map((_, i) => Math.max(...lines.map(line => line[i]!.length)))
  return lines
    .map(line => `${line.map((cell, i) => (i < line.length - 1 ? cell.padEnd(widths[i]! + 3) : cell)).join('')}\n`)
    .join('')
}
