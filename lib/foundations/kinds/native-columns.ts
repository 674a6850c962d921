/** What Kubernetes' own kinds show alike. */
import { ageOf } from './human-duration.ts'
import type { ComputedColumn } from './kind.ts'

/** Unlike for other kinds, the type is given as text. */
export const shownAge: ComputedColumn = {
  name: 'Age',
  type: 'string',
  description: 'Time since the object was created.',
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
}
