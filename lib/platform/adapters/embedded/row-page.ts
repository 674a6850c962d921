/** Rows are read only up to the size that may be held in memory at a time. */
import type { RecordRow } from './records.ts'

export interface RowPage {
  readonly rows: readonly RecordRow[]
  /** Whether rows were omitted for their size: more follow the last one. */
  readonly isCut: boolean
}

/** The first rows, up to a size but at least one. `sizeOf` is in characters. */
export const firstRows = <T>(
  rows: Iterable<unknown>,
  most: number,
  sizeOf: (row: T) => number,
): { readonly rows: T[]; readonly isCut: boolean } => {
  const taken: T[] = []
  let size = 0
  for (const row of rows as Iterable<T>) {
    if (size >= most) return { rows: taken, isCut: true }
    taken.push(row)
    size += sizeOf(row)
  }
  return { rows: taken, isCut: false }
}

/** Merges pages of one listing in order; ends where the first of them was cut. */
export const mergedPages = (pages: readonly RowPage[]): RowPage => {
  const filled = pages.filter(({ rows }) => rows.length > 0)
  // In SQL, SQLite would copy all rows to sort them together, and usually only one page has any.
  if (filled.length < 2) return filled[0] ?? { rows: [], isCut: false }
  const [end] = filled
    .filter(({ isCut }) => isCut)
    .map(({ rows }) => rows.at(-1)!)
    .sort(byPlace)
  const found = new Map(filled.flatMap(({ rows }) => rows).map(row => [row.version, row]))
  const rows = [...found.values()].sort(byPlace)
  return { rows: end ? rows.filter(row => byPlace(row, end) <= 0) : rows, isCut: end !== undefined }
}

/** Like SQLite's order of text, by bytes: names are ASCII. */
const byPlace = (a: RecordRow, b: RecordRow): number => {
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
