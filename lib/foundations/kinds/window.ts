/**
 * A window: when changes to clusters are applied, or wait. In a Cluster, or in the annotation `keelson.dev/windows` of
 * a Namespace or a unit.
 */
import { parseCron } from '../calendar/cron.ts'
import { timeZone } from '../calendar/zoned-time.ts'
import { approvalAnnotations } from './approval.ts'
import { dependsOnAnnotation } from './depends-on.ts'
import { durationMs } from './duration.ts'
import { duration } from './flux.ts'
import type { KubernetesObject } from './object.ts'
import { type FieldError, invalid } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, oneOf, optional, text } from './schema/schema.ts'

/** Operations that windows can hold back. */
export const heldOperations = ['Changes', 'Deletions', 'DriftCorrection'] as const
export type HeldOperation = (typeof heldOperations)[number]

const window = object('A recurring time window.', {
  action: oneOf(
    'Deny: changes wait while the window is open. Allow: changes wait unless this or another Allow window is open.',
    ['Allow', 'Deny'],
  ),
  schedule: text('Start of the window: a cron expression with five fields, or a descriptor such as @daily.', {
    maxLength: 256,
  }),
  duration: duration('Duration of the window.'),
  timeZone: optional(text('Name of the time zone of the schedule. Defaults to UTC.', { maxLength: 64 })),
  holds: optional(
    list(
      'What waits: changes (new revisions and specs), deletions (of objects that have left the source), or the correction of drift. Defaults to changes and deletions.',
      oneOf('What waits.', heldOperations),
      { 'x-kubernetes-list-type': 'set' },
    ),
  ),
  description: optional(text('Purpose of the window, shown in messages about changes that wait.', { maxLength: 256 })),
})

/** The schema of a list of at most 32 windows, of Clusters, gates and the annotation. */
export const windows = (description: string) => list(description, window, { maxItems: 32 })

export type Window = TypeOf<typeof window>

/** Condition type of a unit with work that waits for a time. */
export const waitingCondition = 'Waiting'
/** Condition type and reason of a unit whose windows are overridden. */
export const windowOverridden = 'WindowOverridden'

/** On a Namespace for the units in it, or on a unit: a list of windows, as YAML or JSON. */
export const windowsAnnotation = 'keelson.dev/windows'

/** On a unit: lifts what windows hold back, until a time, for a reason: `2026-11-27T14:00:00Z the fix of the outage`. */
export const overrideAnnotation = 'keelson.dev/override-window'
/** On a unit: the user who has set the override. Written by the API server. */
export const overriddenByAnnotation = 'keelson.dev/overridden-by'

/** The annotations that restrain units: a change to them needs a pass at once. */
export const restrainingAnnotationsOf = ({ metadata: { annotations = {} } }: KubernetesObject): readonly string[] =>
  [windowsAnnotation, overrideAnnotation, dependsOnAnnotation, ...approvalAnnotations].flatMap(name =>
    name in annotations ? `${name}=${annotations[name]}` : [],
  )

export interface Override {
  /** Milliseconds since the epoch. */
  readonly until: number
  readonly reason: string
}

/** Undefined unless the text is an RFC 3339 time and a reason. */
export const parseOverride = (text: string): Override | undefined => {
  const [, time = '', reason = ''] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})) +(\S.*)$/s.exec(text) ?? []
  const until = Date.parse(time)
  return Number.isNaN(until) ? undefined : { until, reason: reason.trimEnd() }
}

/** The default of `holds`. */
const heldByDefault: readonly HeldOperation[] = ['Changes', 'Deletions']

/**
 * What waits outside of a window, or in it. Changes and deletions, but not the correction of drift, unless the window
 * says otherwise.
 */
export const heldBy = ({ holds = [] }: Window): readonly HeldOperation[] => (holds.length > 0 ? holds : heldByDefault)

/** Validation beyond the schema. `windows` are valid by the schema; `path` is their field. */
export const checkWindows = (windows: readonly Window[], path: string): FieldError[] =>
  windows.flatMap((window, index) => {
    const { schedule, duration, timeZone: zone = 'UTC' } = window
    const at = (field: string): string => `${path}[${index}].${field}`
    if (!timeZone(zone)) return [invalid(at('timeZone'), zone, 'unknown time zone')]
    const empty = durationMs(duration) > 0 ? [] : [invalid(at('duration'), duration, 'must be more than 0s')]
    try {
      const isEver = parseCron(schedule, zone).next(Date.UTC(2027, 0, 1)) !== undefined // 2028 has a leap day
      return isEver ? empty : [...empty, invalid(at('schedule'), schedule, 'never begins')]
    } catch (error) {
      return [...empty, invalid(at('schedule'), schedule, (error as Error).message)]
    }
  })
