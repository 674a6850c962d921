import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { admin } from '../../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { createFairness, type FairnessSettings } from '../../../../../lib/hub/apiserver/fairness/fairness.ts'
import { flowOf, widthOf } from '../../../../../lib/hub/apiserver/fairness/flow.ts'
import { openWatches } from '../../../../../lib/hub/apiserver/fairness/open-watches.ts'
import { responseMemory } from '../../../../../lib/hub/apiserver/fairness/response-memory.ts'
import { eventLoopTurns } from '../../../../../lib/hub/apiserver/fairness/turns.ts'
import { unsentFrames } from '../../../../../lib/hub/apiserver/fairness/unsent-frames.ts'
import { apiWorld, configMaps, requestOf } from '../world.ts'

const settings: FairnessSettings = {
  ...{ maxRequestsInflight: 400, maxMutatingRequestsInflight: 200, maxWatches: 3, maxWatchesPerTenant: 2 },
}
const account = (namespace: string, name = 'default') => ({
  name: `system:serviceaccount:${namespace}:${name}`,
  groups: ['system:serviceaccounts', 'system:authenticated'],
})

test('all ServiceAccounts of a namespace are one flow; users are one each', () => {
  const flows = [account('a', 'x'), account('a', 'y'), account('b'), { name: 'bob' }].map(flowOf)
  assert.deepEqual(flows, ['namespace a', 'namespace a', 'namespace b', 'user bob'])
})

test('a body takes a seat for each 64 KiB, one of unknown length as many as the largest', () => {
  const width = (headers: Record<string, string>, body?: string) =>
    widthOf(new Request('https://hub/', { method: 'POST', headers, ...(body && { body }) }))
  assert.deepEqual([width({}), width({ 'content-length': '200000' }, 'x'), width({}, 'x')], [1, 4, 48])
})

test('watches are counted by flow and in all, and administrators not at all', async () => {
  const fairness = createFairness(settings)
  const ending = Promise.withResolvers<void>()
  const watch = (user: Parameters<typeof flowOf>[0] & { groups: readonly string[] }) =>
    fairness.admit(requestOf('GET', `${configMaps}?watch=1`, {}), 'watch', user, ending.promise)
  await watch(account('a', 'x'))
  await watch(account('a', 'y'))
  await assert.rejects(watch(account('a', 'z')), { code: 429, message: /namespace a has 2 watches open/ })
  await watch(account('b'))
  await assert.rejects(watch(account('c')), { code: 429, message: /3 watches are open/ })
  await watch(admin)
  ending.resolve()
  await ending.promise
  await watch(account('a'))
})

test('0 sets no bound', async () => {
  const none = { maxRequestsInflight: 0, maxMutatingRequestsInflight: 0, maxWatches: 0, maxWatchesPerTenant: 0 }
  const fairness = createFairness(none)
  const never = new Promise<void>(() => {})
  for (const verb of ['watch', 'get', 'create'] as const)
    for (let at = 0; at < 1000; at++) await fairness.admit(requestOf('GET', configMaps, {}), verb, account('a'), never)
})

test('closing a watch twice counts once', () => {
  const watches = openWatches({ watches: 2, perFlow: 2 })
  const close = watches.open('a')
  watches.open('a')
  close()
  close()
  watches.open('a')
  assert.throws(() => watches.open('a'), { code: 429 })
})

test('frames that many watches share count once, and the longest held are dropped when there are too many bytes', () => {
  const unsent = unsentFrames({ bytes: 100, bytesPerFlow: 50 })
  const dropped: string[] = []
  const hold = (flow: string, name: string, frame: Uint8Array) => unsent.hold(flow, frame, () => dropped.push(name))
  const shared = Buffer.alloc(30)
  for (let at = 0; at < 100; at++) hold('a', `a${at}`, shared)
  assert.deepEqual(dropped, [])
  const release = hold('a', 'more', Buffer.alloc(20))
  release()
  release()
  hold('a', 'again', Buffer.alloc(20))
  assert.deepEqual(dropped, [])
  hold('a', 'too much', Buffer.alloc(10))
  assert.equal(dropped.length, 100, 'all that share the oldest frame')
  dropped.length = 0
  hold('b', 'b', Buffer.alloc(50))
  hold('c', 'c', Buffer.alloc(50))
  assert.deepEqual(dropped, ['again', 'too much'], 'in all, whoever they are')
})

test('responds to a refused request as Kubernetes does, with Retry-After and a Status', async () => {
  const fairness = createFairness({ ...settings, maxWatchesPerTenant: 1 })
  const { send, handle } = await apiWorld({ authenticate: async () => account('a'), fairness })
  const open = await handle(requestOf('GET', `${configMaps}?watch=1`, {}), undefined, new Promise(() => {}))
  const { status, headers, json } = await send('GET', `${configMaps}?watch=1`)
  assert.deepEqual([status, headers.get('retry-after')], [429, '1'])
  const { kind, reason, code, details } = json
  assert.deepEqual([kind, reason, code, details], ['Status', 'TooManyRequests', 429, { retryAfterSeconds: 1 }])
  await open.body!.cancel()
})

test('a watch that takes nothing is broken off when its frames are too many, and others go on', async () => {
  const unsent = unsentFrames({ bytes: 1_000_000, bytesPerFlow: 1_000_000 })
  const { hub, handle } = await apiWorld({ fairness: { ...createFairness(settings), admit: async () => {}, unsent } })
  const big = (name: string) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
    data: { text: 'x'.repeat(700_000) },
  })
  await hub.create(big('a'), { fieldManager: 'test' })
  const [slow, slower] = [
    await handle(requestOf('GET', `${configMaps}?watch=1`, {})),
    await handle(requestOf('GET', `${configMaps}?watch=1`, {})),
  ].map(response => response.body!.getReader())
  assert.equal((await slow!.read()).value!.length, 64 * 1024)
  assert.equal((await slower!.read()).value!.length, 64 * 1024)
  await assert.rejects(slow!.read(), /receives events too slowly/)
  assert.equal((await slower!.read()).value!.length, 64 * 1024)
  await slower!.cancel()
})

test('the first events of a watch wait, as lists do, until clients have received what they requested before', async () => {
  const turns = eventLoopTurns()
  const memory = responseMemory({ bytes: 1_000_000, bytesPerFlow: 1_000_000, waitMs: 10_000 }, turns)
  const fairness = { ...createFairness(settings), admit: async () => {}, responseMemory: memory, turns }
  const { hub, handle } = await apiWorld({ authenticate: async () => account('a'), fairness })
  const big = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }
  await hub.create({ ...big, data: { text: 'x'.repeat(700_000) } }, { fieldManager: 'test' })
  const watch = async () => (await handle(requestOf('GET', `${configMaps}?watch=1`, {}))).body!.getReader()
  const [slow, waiting] = [await watch(), await watch()]
  try {
    await slow.read()
    const events = waiting.read().then(() => 'events')
    assert.equal(await Promise.race([events, sleep(20, 'nothing')]), 'nothing')
    void readAll(slow)
    assert.equal(await events, 'events')
  } finally {
    await Promise.all([slow.cancel(), waiting.cancel()])
  }
})

test('long work of one flow is done a piece at a time, and other flows and requests come in between', async () => {
  const turns = eventLoopTurns()
  const order: string[] = []
  const work = (flow: string) => turns.take(flow).then(() => void order.push(flow))
  const all = ['busy', 'busy', 'busy', 'calm'].map(work)
  await all[0]
  setImmediate(() => order.push('request'))
  await Promise.all(all)
  assert.deepEqual(order, ['busy', 'request', 'calm', 'busy', 'busy'])
})

test('between long pieces of work that wait, something with many steps takes more than one of them', async () => {
  const turns = eventLoopTurns()
  const work = () =>
    turns.takeToRead('busy').then(() => {
      for (const until = performance.now() + 10; performance.now() < until; );
      return steps
    })
  let steps = 0
  const stepping = (async () => {
    for (; steps < 20; steps++) await new Promise(setImmediate)
  })()
  const seen = await Promise.all(Array.from({ length: 5 }, work))
  await stepping
  assert.equal(seen.at(-1), 20)
})

const readAll = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
  while (!(await reader.read()).done);
}
