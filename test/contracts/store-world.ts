import assert from 'node:assert/strict'
import type { ObjectRef } from '../../lib/foundations/kinds/object.ts'
import type { AuditStore } from '../../lib/platform/ports/audit.ts'
import type { DeliveryStore } from '../../lib/platform/ports/deliveries.ts'
import type { Leases } from '../../lib/platform/ports/leases.ts'
import type { ChangeEvent, Collection, ObjectStore, StoredObject } from '../../lib/platform/ports/objects.ts'
import type { RunStore } from '../../lib/platform/ports/runs.ts'
import type { Schedule } from '../../lib/platform/ports/schedule.ts'
import type { UsageStore } from '../../lib/platform/ports/usage.ts'
import type { Visits } from '../../lib/platform/ports/visits.ts'
import { eventually } from '../bed/eventually.ts'
import type { ManualClock } from './manual-clock.ts'

/** A platform's records under test: the ports that look at the same data. */
export interface StoreWorld {
  readonly objects: ObjectStore
  readonly schedule: Schedule
  readonly leases: Leases
  readonly visits: Visits
  readonly runs: RunStore
  readonly deliveries: DeliveryStore
  readonly usage: UsageStore
  readonly auditRecords: AuditStore
  readonly clock: ManualClock
  /** How many rounds of a random test it does, of those that a fast platform does; other rounds come with each run. */
  rounds(ofFast: number): number
  /** The same data in a new process, as it were. The old ports are not used any more. */
  reopen(): Promise<StoreWorld>
  /** Lets so much time and so many changes pass that the log of what happened so far is forgotten. */
  forgetChanges(): Promise<void>
  close(): Promise<void>
}

/** Opens an empty world. */
export type OpenStoreWorld = () => Promise<StoreWorld>

/** Runs a story in a world of its own. */
export const within =
  (open: OpenStoreWorld, story: (world: StoreWorld) => Promise<void>): (() => Promise<void>) =>
  async () => {
    const world = await open()
    try {
      await story(world)
    } finally {
      await world.close()
    }
  }

export const widgets: Collection = { group: 'test.keelson.dev', kind: 'Widget' }

export const widget = (name: string, namespace = 'default', collection: Collection = widgets): ObjectRef => ({
  group: collection.group,
  kind: collection.kind,
  namespace,
  name,
})

/** Changes another collection for three hours: the log of what happened so far is forgotten. */
export const forgetChanges = async ({ objects, clock }: Pick<StoreWorld, 'objects' | 'clock'>): Promise<void> => {
  const ref = widget('passes-the-time', '', { group: '', kind: 'Pastime' })
  for (const name of ['a', 'b', 'c']) {
    await objects.commit({ op: 'create', ref: { ...ref, name }, body: '', refersTo: [] })
    await clock.advance(3_600_000)
  }
}

/** The whole collection, page by page. */
export async function everything(
  objects: ObjectStore,
  query: Parameters<ObjectStore['list']>[0],
): Promise<{ items: StoredObject[]; version: string }> {
  const items: StoredObject[] = []
  for (let page = await objects.list(query); ; page = await objects.list({ ...query, continue: page.continue })) {
    items.push(...page.items)
    if (!page.continue) return { items, version: page.version }
  }
}

/** The next events of a watch; fails after a while when they don't come. */
export async function take(
  watch: AsyncIterator<ChangeEvent>,
  count: number,
  patienceMs = 20_000,
): Promise<ChangeEvent[]> {
  const events: ChangeEvent[] = []
  const taking = (async () => {
    while (events.length < count) {
      const next = await watch.next()
      if (next.done) throw new Error(`the watch ended after ${events.length} of ${count} events`)
      events.push(next.value)
    }
  })()
  const came = async () => assert.equal(events.length, count, `only ${events.length} of ${count} events came`)
  await Promise.race([taking, eventually(came, { within: patienceMs, every: 5 })])
  return events
}
