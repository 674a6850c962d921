import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { HubEvent } from '../../store/hub.ts'
import type { View } from '../views.ts'

type EventType = HubEvent['type'] | 'BOOKMARK' | 'ERROR'

/** A line of a watch. */
export const frame = (type: EventType, object: string): string => `{"type":"${type}","object":${object}}\n`

/** By object, then by event and form. Objects are in the hub's cache: their frames are dropped with them. */
const frames = new WeakMap<KubernetesObject, Map<string, Uint8Array>>()
/** More forms than this are outdated ages. */
const maxForms = 16

/** The line for an event, created once for all watchers with the same view. */
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
