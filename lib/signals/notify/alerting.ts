import type { Alert } from '../../foundations/kinds/alert.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import { InvalidPacing } from './alert-pacing.ts'
import { type DeliveryPorts, deliver } from './deliver.ts'
import { withLink, withRelevantMetadata } from './event-metadata.ts'
import type { EventRecorder, Occurrence } from './event-recorder.ts'
import { matchingAlerts } from './matching-alerts.ts'
import type { Notification } from './notification.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { pacedOutbox } from './paced-outbox.ts'

export interface AlertingPorts extends DeliveryPorts {
  readonly hub: Pick<Hub, 'get' | 'referrers'>
  readonly objects: ObjectStore
  readonly queue: Queue
  readonly clock: Clock
  readonly log: Log
  /** Records Events without sending notifications. */
  readonly events: EventRecorder
}

export interface AlertingSettings {
  /** Send only events of objects in the Alert's own namespace. */
  readonly noCrossNamespaceRefs: boolean
  /** Notifications link to their object's page there. */
  readonly consoleUrl?: string | undefined
}

/** Records events, and sends them as notifications to the Providers of matching Alerts. */
export interface Alerting {
  readonly events: EventRecorder
  readonly outbox: Outbox
}

const component = 'notification-controller'

/**
 * Alerting over a hub. An Event is recorded before its notifications are stored; what can't be delivered becomes an
 * Event of the Alert.
 */
export const createAlerting = (
  ports: AlertingPorts,
  { noCrossNamespaceRefs, consoleUrl }: AlertingSettings,
): Alerting => {
  const { hub, clock, log, events } = ports

  const recordFailure = async (ref: ObjectRef, reason: string, message: string): Promise<void> => {
    const alert = await hub.get<Alert>(ref)
    if (alert) await events.record(alert, { severity: 'error', reason, message }, component)
  }
  const outbox = createOutbox({
    ...ports,
    deliver: async (ref, notification) => {
      const alert = await hub.get<Alert>(ref)
      if (alert && !alert.spec.suspend) await deliver(ports, alert, withLink(notification, consoleUrl))
    },
    onFailure: (ref, { involvedObject }, message) =>
      recordFailure(
        ref,
        'NotificationDispatchFailed',
        `failed to send notification for ${describeRef({ group: '', ...involvedObject })}: ${message}`,
      ),
  })

  const paced = pacedOutbox({ ...ports, outbox })

  const notify = async (object: KubernetesObject, occurrence: Occurrence, seenBy: string): Promise<void> => {
    const notification = notificationOf(object, occurrence, seenBy, timestamp(clock.now()))
    const onInvalidAlert = (alert: Alert, message: string): void => {
      recordFailure(refOf(alert), 'InvalidConfig', message).catch(error =>
        log.error('failed to record an event', { error }),
      )
    }
    const { isAction } = occurrence
    for (const alert of await matchingAlerts(hub, object, { ...notification, isAction }, onInvalidAlert)) {
      if (noCrossNamespaceRefs && alert.metadata.namespace !== object.metadata.namespace) {
        log.info('an event was not sent: its object is in another namespace', { alert: describeRef(refOf(alert)) })
        continue
      }
      const { add } = isAction ? outbox : paced // an action is no change of state
      await add(alert, notification).catch(error => {
        if (!(error instanceof InvalidPacing)) throw error
        onInvalidAlert(alert, error.message)
        return outbox.add(alert, notification)
      })
    }
  }

  return {
    outbox,
    events: {
      record: async (object, occurrence, seenBy) => {
        await events.record(object, occurrence, seenBy)
        if (!occurrence.quiet) await notify(object, occurrence, seenBy)
      },
    },
  }
}

const notificationOf = (
  { apiVersion, kind, metadata }: KubernetesObject,
  { severity, reason, message, metadata: more }: Occurrence,
  reportingController: string,
  now: string,
): Notification => {
  const { namespace = '', name, uid, resourceVersion } = metadata
  return withRelevantMetadata({
    involvedObject: { apiVersion, kind, namespace, name, uid, resourceVersion },
    severity,
    timestamp: now,
    message,
    reason,
    metadata: { ...eventAnnotations(metadata.annotations), ...more },
    reportingController,
  })
}

const eventAnnotations = (annotations: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('event.toolkit.fluxcd.io/')))
