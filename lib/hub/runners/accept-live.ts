import type { LiveObject, LivePod, LiveState, LiveTree } from '../../foundations/fleet/live.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { inventoryId } from '../../foundations/rules/inventory.ts'
import { limitBytes, shownObject } from '../live/live-object.ts'
import { badRequest } from '../store/api-errors.ts'
import type { LiveWork } from './orders.ts'

/**
 * What a runner has read for a user, with nothing that such a report does not have: an object is the one that was to be read, and values of a Secret are masked
 * whatever the runner has done. Fails with BadRequest if it is none.
 */
export const acceptLive = ({ read, as }: LiveWork, found: object): object => {
  const given = found as Readonly<Record<string, unknown>>
  switch (read.what) {
    case 'tree':
      return { as: as.user, ...acceptedTree(given) }
    case 'object':
      return acceptedObject(given, read.object)
    case 'events':
      return { items: listOf(given.items, 'items').filter(isObject) }
    case 'log':
      return { text: String(given.text ?? '').slice(-limitBytes) }
  }
}

const acceptedTree = (given: Readonly<Record<string, unknown>>): LiveTree => ({
  objects: listOf(given.objects, 'objects').map(acceptedEntry),
  more: Number(given.more) || 0,
  pods: listOf(given.pods, 'pods').map(acceptedPod),
  refused: textsOf(given.refused),
})

const acceptedEntry = (given: Partial<LiveObject>): LiveObject => ({
  ...{ id: String(given.id), kind: String(given.kind) },
  ...placeOf(given),
})

const acceptedPod = (given: Partial<LivePod>): LivePod => ({
  ...{ owner: String(given.owner), restarts: Number(given.restarts) || 0 },
  ...{ images: textsOf(given.images), containers: textsOf(given.containers) },
  ...placeOf(given),
})

const placeOf = ({ namespace, name, state, message }: Partial<Omit<LiveObject, 'id' | 'kind'>>) => ({
  ...{ namespace: String(namespace ?? ''), name: String(name), message: String(message ?? '') },
  state: states.find(known => known === state) ?? 'unknown',
})

const states: readonly LiveState[] = ['ready', 'progressing', 'failed', 'missing', 'unknown']

const acceptedObject = (given: object, id: string): KubernetesObject => {
  if (!isObject(given) || inventoryId(refOf(given)) !== id) throw badRequest(`the result is not the object ${id}`)
  return shownObject(given)
}

const isObject = (value: unknown): value is KubernetesObject => {
  const { metadata } = (value ?? {}) as Partial<KubernetesObject>
  return typeof metadata === 'object' && metadata !== null && typeof metadata.name === 'string'
}

const listOf = (value: unknown, name: string): readonly object[] => {
  if (!Array.isArray(value)) throw badRequest(`${name} of the result must be a list`)
  return value.filter(one => typeof one === 'object' && one !== null)
}

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
