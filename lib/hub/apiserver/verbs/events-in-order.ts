import type { Event } from '../../../foundations/kinds/event.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Listed } from '../../store/hub.ts'

/** Of the core group, or of events.k8s.io. */
type EitherEvent = Event & { readonly deprecatedFirstTimestamp?: string }

/**
 * The Events of a list in the order in which they first happened, object by object. client-go names an Event `<object>.<time>`, so that a
 * list sorted by names is in this order; the hub's are named `<object>.<hash>` (see `createEventRecorder`), and `kubectl get events`
 * shows lists as they come.
 */
export const eventsInOrder = (items: readonly Listed<KubernetesObject>[]): readonly Listed<KubernetesObject>[] => {
  const keyed = items.map(item => ({ item, ...keysOf(item.object as EitherEvent) }))
  // Sorting is stable: Events without a time, or of the same, stay as they are.
  return keyed.sort((a, b) => compare(a.object, b.object) || a.time - b.time).map(({ item }) => item)
}

/** Date.parse drops microseconds. */
const keysOf = ({ metadata, eventTime, ...event }: EitherEvent): { readonly object: string; readonly time: number } => {
  const { namespace = '', name, creationTimestamp = '' } = metadata
  const time = event.firstTimestamp || event.deprecatedFirstTimestamp || eventTime || creationTimestamp
  const micros = (/\.\d{3}(\d{1,3})/.exec(time)?.[1] ?? '').padEnd(3, '0')
  const object = `${namespace}/${name.slice(0, name.lastIndexOf('.') + 1) || name}`
  return { object, time: (Date.parse(time) || 0) + Number(micros) / 1000 }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
