/** The hub's Events in the events.k8s.io API: the core group's Events with newer field names. */

import { asCoreEvent, asNewEvent, newEvent } from '../../foundations/kinds/event-v1.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { notFound } from '../store/api-errors.ts'
import { patched } from '../store/field-changes.ts'
import type { Hub, HubEvent, HubList, HubPage, Patch } from '../store/hub.ts'
import { listed } from '../store/listed.ts'

const core = { group: '', kind: 'Event' }
const served = { kind: newEvent, version: newEvent.versions[0]! }
const inCore = (ref: ObjectRef): ObjectRef => ({ ...ref, ...core })

/**
 * The hub as it serves events.k8s.io: objects are translated on their way in and out, and references go to the core
 * group.
 */
export const eventView = (hub: Hub): Hub => {
  const get = async (ref: ObjectRef): Promise<KubernetesObject | undefined> => {
    const found = await hub.get(inCore(ref))
    return found && asNewEvent(found)
  }

  const list = async (query: Parameters<Hub['list']>[0]): Promise<HubList<KubernetesObject>> => {
    const found = await hub.list({ ...query, ...core })
    return { ...found, items: found.items.map(asNewEvent) }
  }

  async function* pages(query: Parameters<Hub['pages']>[0]): AsyncGenerator<HubPage<KubernetesObject>> {
    for await (const page of hub.pages({ ...query, ...core }))
      yield { ...page, items: page.items.map(({ object }) => listed(asNewEvent(object))) }
  }

  async function* watch(query: Parameters<Hub['watch']>[0]): AsyncGenerator<HubEvent> {
    for await (const event of hub.watch({ ...query, ...core })) yield { ...event, object: asNewEvent(event.object) }
  }

  /** Patches use the newer names: their result is written as a whole object. */
  const patch: Hub['patch'] = async <T extends KubernetesObject>(ref: ObjectRef, change: Patch, options: object) => {
    const writing = options as Parameters<Hub['patch']>[2]
    if (change.type === 'apply') {
      const applied = { type: 'apply', object: asCoreEvent(change.object) } as const
      return asNewEvent(await hub.patch(inCore(ref), applied, { ...writing, version: 'v1' })) as T
    }
    const before = await get(ref)
    if (!before) throw notFound({ group: newEvent.group, plural: newEvent.plural }, ref.name)
    return asNewEvent(await hub.update(asCoreEvent(patched(served, before, change)), writing)) as T
  }

  return {
    ...hub,
    get: async <T extends KubernetesObject>(ref: ObjectRef) => (await get(ref)) as T | undefined,
    list: async <T extends KubernetesObject>(query: Parameters<Hub['list']>[0]) => (await list(query)) as HubList<T>,
    pages: pages as Hub['pages'],
    watch,
    create: async (object, options) => asNewEvent(await hub.create(asCoreEvent(object), options)) as typeof object,
    update: async (object, options) => asNewEvent(await hub.update(asCoreEvent(object), options)) as typeof object,
    patch,
    delete: async (ref, options) => asNewEvent(await hub.delete(inCore(ref), options)),
  }
}
