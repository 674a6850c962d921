import { RE2JS } from 're2js'
import { type Alert, type AnyEventSource, eventSourcesOf, eventsOf } from '../../foundations/kinds/alert.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Notification } from './notification.ts'

/** Called for an Alert with an error in its spec. */
export type OnInvalidAlert = (alert: Alert, message: string) => void

/** The Alerts that send an event; `object` provides the labels. */
export const matchingAlerts = async (
  hub: Pick<Hub, 'get' | 'referrers'>,
  object: KubernetesObject,
  notification: Notification,
  onInvalidAlert: OnInvalidAlert,
): Promise<readonly Alert[]> => {
  const { kind, namespace } = notification.involvedObject
  const matching: Alert[] = []
  for await (const ref of hub.referrers(eventsOf(kind, namespace))) {
    const alert = await hub.get<Alert>(ref)
    if (alert && isMatching(alert, object, notification, onInvalidAlert)) matching.push(alert)
  }
  return matching
}

const isMatching = (
  alert: Alert,
  object: KubernetesObject,
  { severity, message, involvedObject }: Notification,
  onInvalidAlert: OnInvalidAlert,
): boolean => {
  const { suspend, eventSeverity = 'info', inclusionList = [], exclusionList = [] } = alert.spec
  if (suspend || (eventSeverity === 'error' && severity !== 'error')) return false
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
