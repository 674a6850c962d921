import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'

export interface RecorderPorts {
  readonly hub: Pick<Hub, 'get' | 'create' | 'patch'>
  readonly clock: Clock
}

/** An event of an object, for users and alerts. */
export interface Occurrence {
  readonly severity: 'info' | 'error'
  readonly reason: string
  readonly message: string
  readonly metadata?: Readonly<Record<string, string>>
  /** Recorded only: Alerts do not send it. */
  readonly quiet?: true
  /** What a user has done, which no controller of Flux reports: only Alerts with an annotation send it. */
  readonly isAction?: true
}

export interface EventRecorder {
  /** `component` is the reporting controller, as in `kustomize-controller`. */
  record(object: KubernetesObject, occurrence: Occurrence, component: string): Promise<void>
}

/**
 * Writes Kubernetes Events. A repeated occurrence (same object, reason and message) increments the count of the
 * existing Event, as client-go's recorder does; the Event's name is derived from it, so no state is kept.
 */
export const createEventRecorder = ({ hub, clock }: RecorderPorts): EventRecorder => {
  const nextTime = distinctTimes(clock)
  return {
    async record(object, occurrence, component) {
      const event = eventOf(object, occurrence, component, nextTime())
      const ref = { group: '', kind: 'Event', namespace: event.metadata.namespace, name: event.metadata.name }
      try {
        await hub.create(event, { fieldManager: component })
      } catch (error) {
        if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error
        await incrementCount(hub, ref, event)
      }
    },
  }
}

/**
 * Returns strictly increasing times in RFC 3339. client-go's recorder writes whole seconds, and its Events of one
 * second are sorted by names, which contain the time; ours do not (see `eventName`). All clients parse fractions.
 */
const distinctTimes = (clock: Pick<Clock, 'now'>): (() => string) => {
  let last = 0
  return () => {
    const now = clock.now() * 1000
    // A gap of over a second means that the clock was set back: follow it.
    last = last - now > 1_000_000 ? now : Math.max(now, last + 1)
    const ms = Math.floor(last / 1000)
    return new Date(ms).toISOString().replace('Z', `${String(last % 1000).padStart(3, '0')}Z`)
  }
}

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

const incrementCount = async (hub: RecorderPorts['hub'], ref: ObjectRef, event: KubernetesEvent): Promise<void> => {
  const known = await hub.get<KubernetesObject & { readonly count?: number }>(ref)
  if (!known) return // the Event has just expired
  const patch = { count: (known.count ?? 1) + 1, lastTimestamp: event.lastTimestamp }
  await hub.patch(ref, { type: 'merge', patch }, { fieldManager: event.source.component })
}

const maxNameLength = 253

/** `<object>.<16 hex digits>`, as in client-go; equal parts give equal names. */
const eventName = (name: string, parts: readonly string[]): string => {
  const hash = sha256Hex(JSON.stringify(parts)).slice(0, 16)
  return `${name.slice(0, maxNameLength - hash.length - 1)}.${hash}`
}

/** An object's annotations of this group are part of every event about it (Flux's event metadata). */
const alertAnnotations = (annotations: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('event.toolkit.fluxcd.io/')))
