/** How an Alert spares people, by annotations of Keelson's own; without them it sends every event, as in Flux. */
import { parseCron } from '../../foundations/calendar/cron.ts'
import type { Alert } from '../../foundations/kinds/alert.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'

/** `StateChanges`: only when an object begins to fail, and when it has recovered. */
const onlyAnnotation = 'notification.keelson.dev/only'
/** `Cause`: one message for all objects that fail for the same reason. It implies StateChanges. */
const groupByAnnotation = 'notification.keelson.dev/group-by'
/** A cron expression: everything since the last time in one message. It implies StateChanges. */
const digestAnnotation = 'notification.keelson.dev/digest'
/** The time zone of the digest; UTC without it. */
const timeZoneAnnotation = 'notification.keelson.dev/time-zone'

/** An annotation that can't be understood. */
export class InvalidPacing extends Error {}

/** When messages are sent. */
export interface AlertPacing {
  readonly byCause: boolean
  /** The next digest after a time (both in ms since the epoch); absent if there are none. */
  readonly nextDigest?: (after: number) => number | undefined
}

/** Undefined where nothing is set. Fails with InvalidPacing, which names the annotation. */
export const pacingOf = ({ metadata: { annotations = {} } }: Alert): AlertPacing | undefined => {
  const only = oneOf(annotations, onlyAnnotation, 'StateChanges')
  const byCause = oneOf(annotations, groupByAnnotation, 'Cause')
  const digest = annotations[digestAnnotation]
  if (!only && !byCause && digest === undefined) return undefined
  if (digest === undefined) return { byCause }
  try {
    const cron = parseCron(digest, annotations[timeZoneAnnotation] ?? 'UTC')
    return { byCause, nextDigest: cron.next }
  } catch (error) {
    throw new InvalidPacing(`annotation ${digestAnnotation}: ${errorMessage(error)}`)
  }
}

const oneOf = (annotations: Readonly<Record<string, string>>, name: string, value: string): boolean => {
  const said = annotations[name]
  if (said !== undefined && said !== value)
    throw new InvalidPacing(`annotation ${name}: '${said}' is not known, use '${value}'`)
  return said === value
}
