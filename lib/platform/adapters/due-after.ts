import type { ObjectChange } from '../ports/objects.ts'

/** The due time after a write, see `Written` in the port; `stored` is the one before. */
export const dueAfter = (
  { due, dueSeen }: Pick<Exclude<ObjectChange, { op: 'delete' }>, 'due' | 'dueSeen'>,
  stored: number | undefined,
): number | undefined => {
  if (due === undefined) return stored
  if (dueSeen === undefined || stored === undefined || stored === dueSeen) return due ?? undefined
  return Math.min(stored, due ?? stored)
}
