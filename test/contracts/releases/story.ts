import type { StoreWorld } from '../store-world.ts'
import { widget } from '../store-world.ts'

/** What a release leaves in its table: something of all that items hold. */
export async function leaveTraces({
  objects,
  schedule,
  leases,
  visits,
  clock,
}: Pick<StoreWorld, 'objects' | 'schedule' | 'leases' | 'visits' | 'clock'>): Promise<void> {
  const create = (name: string, more: object = {}) =>
    objects.commit({ op: 'create', ref: widget(name), body: body(name, 1), refersTo: [], ...more })
  const kept = await create('kept', { refersTo: ['source'], labels: ['team=a'], group: 'cluster-1' })
  const changed = await create('changed')
  const gone = await create('gone')
  const due = clock.now() + 600_000
  await objects.commit({
    op: 'update',
    ref: changed.ref,
    expect: changed.version,
    body: body('changed', 2),
    refersTo: [],
    due,
  })
  await objects.commit({ op: 'delete', ref: gone.ref, expect: gone.version, body: body('gone', 1) })
  await schedule.setDue(kept.ref, due)
  await leases.release((await leases.acquire(kept.ref, 60_000))!)
  const visit = { group: 'visit.keelson.dev', kind: 'apply', namespace: 'cluster-1', name: 'cluster-1' }
  await visits.write(visit, { members: [{ ref: kept.ref, due, every: 600_000 }], due }, undefined)
}

export const body = (name: string, revision: number): string =>
  JSON.stringify({ kind: 'Widget', metadata: { name }, spec: { revision, text: name.repeat(20) } })
