/** A table of a page. Cells are Markdown in one line: bars and line breaks in them are escaped. */
export const markdownTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map(cells => `| ${cells.map(escaped).join(' | ')} |`).join('\n')

const escaped = (cell: string): string => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
