import { RE2JS } from 're2js'
import {
  type Alert,
  type AnyEventSource,
  actionsAnnotation,
  eventSourcesOf,
  eventsOf,
} from '../../foundations/kinds/alert.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Occurrence } from './event-recorder.ts'
import type { Notification } from './notification.ts'

/** Called for an Alert with an error in its spec. */
export type OnInvalidAlert = (alert: Alert, message: string) => void

/** The Alerts that send an event; `object` provides the labels. What a user has done is sent by those whose annotation names it, whatever their severity. */
export const matchingAlerts = async (
  hub: Pick<Hub, 'get' | 'referrers'>,
  object: KubernetesObject,
  { isAction, ...notification }: Notification & Pick<Occurrence, 'isAction'>,
  onInvalidAlert: OnInvalidAlert,
): Promise<readonly Alert[]> => {
  const { kind, namespace } = notification.involvedObject
  const matching: Alert[] = []
  for await (const ref of hub.referrers(eventsOf(kind, namespace))) {
    const alert = await hub.get<Alert>(ref)
    if (!alert || alert.spec.suspend) continue
    const isOfInterest = isAction ? sendsAction(alert, notification) : isSevere(alert, notification)
    if (isOfInterest && isMatching(alert, object, notification, onInvalidAlert)) matching.push(alert)
  }
  return matching
}

const isSevere = ({ spec }: Alert, { severity }: Notification): boolean =>
  spec.eventSeverity !== 'error' || severity === 'error'

const sendsAction = ({ metadata }: Alert, { reason }: Notification): boolean => {
  const reasons = (metadata.annotations?.[actionsAnnotation] ?? '').split(',').map(text => text.trim())
  return reasons.includes('*') || reasons.includes(reason)
}

const isMatching = (
  alert: Alert,
  object: KubernetesObject,
  { message, involvedObject }: Notification,
  onInvalidAlert: OnInvalidAlert,
): boolean => {
  const { inclusionList = [], exclusionList = [] } = alert.spec
  const own = alert.metadata.namespace ?? ''
  const isSelected = ({ kind, name, namespace, matchLabels = {} }: AnyEventSource): boolean =>
    kind === involvedObject.kind &&
    (namespace || own) === involvedObject.namespace &&
    (name === '*' || name === involvedObject.name) &&
    Object.entries(matchLabels).every(([label, value]) => object.metadata.labels?.[label] === value)
  if (!eventSourcesOf(alert).some(isSelected)) return false

  const matchesAny = (expressions: readonly string[], list: string): boolean =>
    expressions.some(expression => {
      try {
        return RE2JS.compile(expression).matcher(message).find()
      } catch {
        onInvalidAlert(alert, `failed to compile ${list} regex: ${expression}`)
        return false
      }
    })
  if (inclusionList.length > 0 && !matchesAny(inclusionList, 'inclusion')) return false
  return !matchesAny(exclusionList, 'exclusion')
}
