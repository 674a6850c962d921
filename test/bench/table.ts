/** Rows of cells as lines of text: numbers to the right, words to the left. */
export function table(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [header, ...rows.map(row => row.map(String))]
  const isNumber = header.map((_, column) => rows.every(row => typeof row[column] === 'number'))
  const widths = header.map((_, column) => Math.max(...cells.map(row => row[column]!.length)))
  return cells
    .map(row =>
      row
        .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
