import type { FileChanges } from './commit-message.ts'
import type { FieldChange } from './set-fields.ts'

/**
 * The changes of files as a table in Markdown, of at most `maxLength` characters: what does not fit is counted. Names and values come from
 * files, so they can't begin new cells or other markup.
 */
export const changeTable = (changes: FileChanges, maxLength: number): string => {
  const rows = [...changes].flatMap(([file, found]) => found.map(change => rowOf(file, change)))
  const head = '| File | Object | Policy | From | To |\n| --- | --- | --- | --- | --- |'
  const restOf = (count: number) => (count > 0 ? `\n\nand ${count} more` : '')
  let [table, shown] = [head, 0]
  for (const row of rows) {
    if (table.length + 1 + row.length + restOf(rows.length).length > maxLength) break
    table += `\n${row}`
    shown++
  }
  return table + restOf(rows.length - shown)
}

const rowOf = (file: string, { object, setter, oldValue, newValue }: FieldChange): string => {
  const { kind, namespace, name } = object
  const id = [kind, namespace, name].filter(Boolean).join('/')
  return `| ${[file, id, setter, oldValue, newValue].map(cell).join(' | ')} |`
}

/** As code, which has no markup but its end and, in tables, bars. */
const cell = (text: string): string => {
  const plain = text
    .replace(/[`\r\n]/g, ' ')
    .replaceAll('|', '\\|')
    .trim()
  return plain && `\`${plain}\``
}
