import type { RunPlace } from '../../platform/ports/runs.ts'

const timeLength = 9
const maxNameLength = 253

/**
 * The name of a run. It ends with the run's start time, so the name alone identifies its record. A unit has one pass at a time, so no two start
 * in the same millisecond.
 */
export const runName = (
  { kind, name }: { readonly kind: string; readonly name: string },
  startedAt: number,
): string => {
  const time = startedAt.toString(36).padStart(timeLength, '0')
  const unit = `${kind.toLowerCase()}-${name}`.slice(0, maxNameLength - timeLength - 1)
  return `${unit.replace(/[^a-z0-9]+$/, '')}-${time}`
}

/** The place of the run with this name; undefined if it is not the name of a run. */
export const placeOfName = (namespace: string, name: string): RunPlace | undefined => {
  const [, time] = /-([0-9a-z]{9})$/.exec(name) ?? []
  return time === undefined ? undefined : { namespace, name, startedAt: Number.parseInt(time, 36) }
}
