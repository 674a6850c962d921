import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { ReportRequest, SyncRequest, WaitRequest } from '../../../../lib/hub/runners/protocol.ts'
import { runnerLeaseMs } from '../../../../lib/hub/runners/protocol.ts'
import { createSession } from '../../../../lib/hub/runners/session.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const unit: KubernetesObject = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { namespace: 'ships', name: 'app', uid: 'u' },
}

/** A hub with one unit; `next` decides what becomes of the next requests. */
const scene = (resumes?: number) => {
  const clock = manualClock()
  const it = {
    version: 1,
    leaseMs: undefined as number | undefined,
    resumed: [] as unknown[],
    kept: [] as number[],
    token: 1,
    statuses: [] as unknown[],
    taken: [] as boolean[],
    asked: [] as string[],
    waited: [] as unknown[],
    hub: '1',
    introduced: [] as unknown[],
    orders: [] as unknown[],
  }
  const next: ('lost' | 'unacknowledged' | ApiError)[] = []
  const handlers: Record<string, (content: never) => object> = {
    sync: ({ lease, known, resumes, waits, holds, version, takes }: SyncRequest) => {
      it.resumed.push(resumes)
      it.introduced.push(version && [version, takes])
      if (lease !== undefined && lease !== it.token) throw new ApiError(410, 'Gone', 'another runner')
      const own = [{ ...unit, metadata: { ...unit.metadata, resourceVersion: String(it.version) } }]
      const copy = { own, others: [], settings: {} }
      const { leaseMs } = it
      const wakeUp = waits && holds && { url: 'place', pollAfterMs: 1 }
      return { lease: it.token, leaseMs, digest: 'd', hub: it.hub, ...(known !== 'd' && { copy }), wakeUp }
    },
    report: ({ lease, resourceVersion, status }: ReportRequest) => {
      if (lease !== it.token) throw new ApiError(410, 'Gone', 'another runner')
      if (resourceVersion !== String(it.version)) throw new ApiError(409, 'Conflict', 'modified')
      it.statuses.push(status)
      it.version++
      return { resourceVersion: String(it.version) }
    },
    wait: ({ lease, seen, forMs }: WaitRequest) => {
      it.waited.push([lease, seen, forMs])
      return { news: true }
    },
    release: () => ({}),
  }
  const session = createSession({
    ...{ clock, resumes, version: '1', takes: ['plan'] },
    takeOrders: orders => void it.orders.push(orders),
    keep: async lease => void it.kept.push(lease),
    take: async (_, isStale) => {
      const ref: ObjectRef = {
        group: 'kustomize.toolkit.fluxcd.io',
        kind: 'Kustomization',
        namespace: 'ships',
        name: 'app',
      }
      it.taken.push(isStale(ref))
    },
    link: {
      renewKey: async () => {},
      request: async <T>(verb: string, content: object): Promise<T> => {
        it.asked.push(verb)
        const fate = next.shift()
        if (fate instanceof ApiError) throw fate
        if (fate === 'lost') throw new ClusterError('unreachable', 'lost')
        const response = handlers[verb]!(content as never) as T
        if (fate === 'unacknowledged') throw new ClusterError('unreachable', 'lost on the way back')
        return response
      },
    },
  })
  return { it, next, session, clock }
}

test('nothing is done before the first copy, nor after the lease has ended', async () => {
  const { session, clock } = scene()
  assert.equal(session.isHeld(), false)
  await assert.rejects(
    session.event(unit, { component: 'c', occurrence: { severity: 'info', reason: 'A', message: 'b' } }),
    /no lease/,
  )
  await session.sync()
  assert.equal(session.isHeld(), true)
  await clock.advance(runnerLeaseMs)
  assert.equal(session.isHeld(), false)
  await session.sync()
  assert.equal(session.isHeld(), true, 'nobody else has taken it')
})

test('the lease lasts as long as the hub says, and a request may bring where to wait', async () => {
  const { it, session, clock } = scene()
  it.leaseMs = 10 * runnerLeaseMs
  assert.equal(await session.sync(), undefined)
  assert.deepEqual(await session.sync({ waits: true, renews: false }), { url: 'place', pollAfterMs: 1 })
  await clock.advance(10 * runnerLeaseMs - 1)
  assert.equal(session.isHeld(), true)
  await clock.advance(1)
  assert.equal(session.isHeld(), false)
})

test('a hub that was upgraded learns again which version the runner has, and what it takes', async () => {
  const { it, session } = scene()
  for (const hub of ['1', '1', '2', '2', '2']) {
    it.hub = hub
    await session.sync()
  }
  const introduction = ['1', ['plan']]
  assert.deepEqual(it.introduced, [introduction, undefined, undefined, introduction, undefined])
  assert.deepEqual(it.orders, [[], [], [], [], []])
  await session.sync({ waits: true, renews: true })
  assert.equal(it.orders.length, 5, 'what was only renewed has no orders')
})

test('a wait is held under the lease: without one, or once another runner has it, there is none', async () => {
  const { it, next, session, clock } = scene()
  const wait = () => session.wait({ seen: 3, forMs: 1000 }, new AbortController().signal)
  await assert.rejects(wait(), /no lease/)
  await session.sync()
  assert.equal(await wait(), true)
  assert.deepEqual(it.waited, [[1, 3, 1000]])
  await clock.advance(runnerLeaseMs)
  await assert.rejects(wait(), /no lease/, 'what is held renews nothing here')
  await session.sync()
  next.push(new ApiError(410, 'Gone', 'another runner'))
  await assert.rejects(wait(), { code: 410 })
  assert.equal(session.isOver(), true)
})

test('a runner whose key is refused stops at once, however long its lease', async () => {
  const { it, next, session } = scene()
  it.leaseMs = 10 * runnerLeaseMs
  await session.sync()
  next.push(new ApiError(401, 'Unauthorized', 'Unauthorized'))
  await assert.rejects(session.sync(), { code: 401 })
  assert.deepEqual([session.isOver(), session.isHeld()], [true, false])
})

test('after a report whose response was lost, the status of the hub is taken before another one is sent', async () => {
  const { it, next, session } = scene()
  await session.sync()
  next.push('unacknowledged')
  await assert.rejects(session.report(unit, { status: 1 }), /on the way back/)
  await session.report(unit, { status: 2 })
  assert.deepEqual(it.statuses, [1, 2])
  assert.deepEqual(it.taken, [true, true], 'the first copy, and the one for the lost response')
  await session.report(unit, { status: 3 })
  assert.deepEqual(it.asked, ['sync', 'report', 'sync', 'report', 'report'])
})

test('a report that never arrived is not repeated by itself', async () => {
  const { it, next, session } = scene()
  await session.sync()
  next.push('lost')
  await assert.rejects(session.report(unit, { status: 1 }), /lost/)
  assert.deepEqual(it.statuses, [])
})

test('an object that was changed on the hub in between is reported with its new version', async () => {
  const { it, session } = scene()
  await session.sync()
  it.version = 7
  await session.report(unit, { status: 1 })
  assert.deepEqual([it.statuses, it.version], [[1], 8])
  assert.deepEqual(it.taken, [true, false], 'the status of the runner is the right one')
})

test('a session is over when another runner has the lease, and sends nothing more', async () => {
  const { it, session } = scene()
  await session.sync()
  it.token = 2
  await assert.rejects(session.report(unit, { status: 1 }), { code: 410 })
  assert.deepEqual([session.isOver(), session.isHeld()], [true, false])
  await assert.rejects(session.report(unit, { status: 2 }), /no lease/)
  await session.close()
  assert.deepEqual(it.asked, ['sync', 'report'], 'the lease is not its own to give back')
})

test('a session that is closed gives its lease back', async () => {
  const { it, session } = scene()
  await session.sync()
  await session.close()
  assert.deepEqual(it.asked, ['sync', 'release'])
  assert.equal(session.isHeld(), false)
})

test('a session ends the lease of an earlier process with the first request, and keeps its own', async () => {
  const { it, session } = scene(7)
  await session.sync()
  await session.sync()
  assert.deepEqual([it.resumed, it.kept], [[7, undefined], [1]])
})

test('a hub that does not answer is silent, one that refuses is not, and one whose lease has gone never was', async () => {
  const { it, next, session, clock } = scene()
  assert.equal(session.silentMs(), undefined, 'nothing is known yet')
  await session.sync()
  await clock.advance(runnerLeaseMs)
  next.push('lost')
  await assert.rejects(session.sync())
  assert.equal(session.silentMs(), runnerLeaseMs)
  next.push(new ApiError(502, '', 'a proxy'))
  await assert.rejects(session.sync())
  assert.equal(session.silentMs(), runnerLeaseMs)
  next.push(new ApiError(404, 'NotFound', 'its Cluster is gone'))
  await assert.rejects(session.sync())
  next.push('lost')
  await assert.rejects(session.sync())
  assert.equal(session.silentMs(), undefined, 'what was refused stays refused')
  await session.sync()
  assert.equal(session.silentMs(), 0)
  it.token = 2
  await assert.rejects(session.sync(), { code: 410 })
  assert.equal(session.silentMs(), undefined)
})

test('a revoked key ends the session, which is not silent then', async () => {
  const { next, session } = scene()
  await session.sync()
  next.push(new ApiError(401, 'Unauthorized', 'revoked'))
  await assert.rejects(session.sync(), { code: 401 })
  assert.deepEqual([session.isOver(), session.silentMs()], [true, undefined])
})
