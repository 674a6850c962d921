import { createHash } from 'node:crypto'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'

export interface RecorderPorts {
  readonly hub: Pick<Hub, 'get' | 'create' | 'patch'>
  readonly clock: Clock
}

/** What happened to an object, for people and for alerts. */
export interface Occurrence {
  readonly severity: 'info' | 'error'
  readonly reason: string
  readonly message: string
  readonly metadata?: Readonly<Record<string, string>>
  /** For people who look at the object only: Alerts do not tell it. */
  readonly quiet?: true
}

export interface EventRecorder {
  /** `component` names who saw it, as in `kustomize-controller`. */
  record(object: KubernetesObject, occurrence: Occurrence, component: string): Promise<void>
}

/**
 * Writes Kubernetes Events. The same occurrence again (same object, reason and message) counts up the Event that is
 * there, as client-go's recorder does; the Event's name is derived from it, so nothing has to be remembered.
 */
export const createEventRecorder = ({ hub, clock }: RecorderPorts): EventRecorder => ({
  async record(object, occurrence, component) {
    const event = eventOf(object, occurrence, component, timestamp(clock.now()))
    const ref = { group: '', kind: 'Event', namespace: event.metadata.namespace, name: event.metadata.name }
    try {
      await hub.create(event, { fieldManager: component })
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error
      await countUp(hub, ref, event)
    }
  },
})

type KubernetesEvent = ReturnType<typeof eventOf>

const eventOf = (object: KubernetesObject, occurrence: Occurrence, component: string, now: string) => {
  const { apiVersion, kind, metadata } = object
  const type = occurrence.severity === 'error' ? 'Warning' : 'Normal'
  const { reason, message } = occurrence
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: eventName(metadata.name, [metadata.uid ?? '', type, reason, message, component]),
      namespace: metadata.namespace || 'default',
      annotations: { ...alertAnnotations(metadata.annotations), ...occurrence.metadata },
    },
    involvedObject: {
      apiVersion,
      kind,
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      resourceVersion: metadata.resourceVersion,
    },
    reason,
    message,
    type,
    count: 1,
    firstTimestamp: now,
    lastTimestamp: now,
    eventTime: null,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
  }
}

const countUp = async (hub: RecorderPorts['hub'], ref: ObjectRef, event: KubernetesEvent): Promise<void> => {
  const known = await hub.get<KubernetesObject & { readonly count?: number }>(ref)
  if (!known) return // it ended its hour just now
  const patch = { count: (known.count ?? 1) + 1, lastTimestamp: event.lastTimestamp }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: event.source.component })
}

const maxNameLength = 253

/** `<object>.<16 hex digits>`, as client-go names Events; equal parts give equal names. */
const eventName = (name: string, parts: readonly string[]): string => {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
  return `${name.slice(0, maxNameLength - hash.length - 1)}.${hash}`
}

/** An object's annotations of this group go with every event about it (Flux's event metadata). */
const alertAnnotations = (annotations: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('event.toolkit.fluxcd.io/')))
