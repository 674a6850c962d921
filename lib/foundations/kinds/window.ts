/** A window: when changes to clusters go on, or wait. In a Cluster, or in the annotation `keelson.dev/windows` of a Namespace or a unit. */
import { parseCron } from '../calendar/cron.ts'
import { timeZone } from '../calendar/zoned-time.ts'
import { durationMs } from './duration.ts'
import { duration } from './flux.ts'
import type { KubernetesObject } from './object.ts'
import { type FieldError, invalid } from './schema/field-error.ts'
import type { TypeOf } from './schema/schema.ts'
import { list, object, oneOf, optional, text } from './schema/schema.ts'

/** What windows hold back. */
export const heldThings = ['Changes', 'Deletions', 'DriftCorrection'] as const
export type HeldThing = (typeof heldThings)[number]

const window = object('A time that comes again.', {
  action: oneOf('Deny: it holds back while it lasts. Allow: it holds back while neither it nor another Allow lasts.', [
    'Allow',
    'Deny',
  ]),
  schedule: text('When it begins: a cron expression with five fields, or @daily and the like.', { maxLength: 256 }),
  duration: duration('How long it lasts.'),
  timeZone: optional(text('Name of the time zone of the schedule; UTC when empty.', { maxLength: 64 })),
  holds: optional(
    list(
      'What it holds back: changes (new revisions and specs), deletions (of what has left the source), the correction of drift. Changes and deletions when empty.',
      oneOf('What it holds back.', heldThings),
      { 'x-kubernetes-list-type': 'set' },
    ),
  ),
  description: optional(text('What it is for: shown wherever it holds something back.', { maxLength: 256 })),
})

export const windows = (description: string) => list(description, window, { maxItems: 32 })

export type Window = TypeOf<typeof window>

/** Condition type of a unit with work that waits for a time. */
export const waitingCondition = 'Waiting'

/** On a Namespace for the units in it, or on a unit: a list of windows, as YAML or JSON. */
export const windowsAnnotation = 'keelson.dev/windows'

/** On a unit: lifts what windows hold back, until a time, for a reason: `2026-11-27T14:00:00Z the fix of the outage`. */
export const overrideAnnotation = 'keelson.dev/override-window'
/** On a unit: who has set the override. The API server writes it. */
export const overriddenByAnnotation = 'keelson.dev/overridden-by'

/** Those that a pass must take note of at once. */
export const restrainingAnnotationsOf = ({ metadata: { annotations = {} } }: KubernetesObject): readonly string[] =>
  [windowsAnnotation, overrideAnnotation].flatMap(name => (name in annotations ? `${name}=${annotations[name]}` : []))

export interface Override {
  /** Milliseconds since the epoch. */
  readonly until: number
  readonly reason: string
}

/** Undefined for anything else than a time in RFC 3339 and a reason. */
export const parseOverride = (text: string): Override | undefined => {
  const [, time = '', reason = ''] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})) +(\S.*)$/s.exec(text) ?? []
  const until = Date.parse(time)
  return Number.isNaN(until) ? undefined : { until, reason: reason.trimEnd() }
}

/** What windows hold back that don't say it. */
const heldByDefault: readonly HeldThing[] = ['Changes', 'Deletions']

export const heldBy = ({ holds = [] }: Window): readonly HeldThing[] => (holds.length > 0 ? holds : heldByDefault)

/** What the schema can't say. `windows` are valid by it; `path` is their field. */
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
