/** Columns that Kubernetes' own kinds share. */
import { ageOf } from './human-duration.ts'
import type { ComputedColumn } from './kind.ts'

/** Unlike in other kinds, the cell is text. */
export const shownAge: ComputedColumn = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
}
