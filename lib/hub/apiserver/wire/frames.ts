import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { HubEvent } from '../../store/hub.ts'
import type { View } from '../views.ts'

type EventType = HubEvent['type'] | 'BOOKMARK' | 'ERROR'

/** A line of a watch. */
export const frame = (type: EventType, object: string): string => `{"type":"${type}","object":${object}}\n`

/** By object, then by event and form. Objects live in the hub's cache: what hangs on them goes with them. */
const frames = new WeakMap<KubernetesObject, Map<string, Uint8Array>>()
/** More forms than these are ages that have passed. */
const maxForms = 16

/** The line that tells of an event, made once for all watchers that are shown the same. */
export const eventFrame = ({ type, object }: HubEvent, view: View): Uint8Array => {
  const { form, text } = view.streamed(object)
  const forms = frames.get(object) ?? new Map<string, Uint8Array>()
  frames.set(object, forms)
  const key = `${type} ${form}`
  const known = forms.get(key)
  if (known) return known
  const made = Buffer.from(frame(type, text()))
  if (forms.size >= maxForms) forms.clear()
  forms.set(key, made)
  return made
}
