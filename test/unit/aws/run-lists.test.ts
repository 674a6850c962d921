/** What lists of Runs read of the table: those that few Runs match read few, without a time as well. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunContent } from '../../../lib/foundations/kinds/run.ts'
import { runCodec } from '../../../lib/hub/runs/run-codec.ts'
import { factsOf, keysOf } from '../../../lib/hub/runs/run-facts.ts'
import { runName } from '../../../lib/hub/runs/run-names.ts'
import { runReader } from '../../../lib/hub/runs/run-reader.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const total = 1_000
const namespaces = ['apps', 'infra']

/** Of every hundred Runs one is of a person, one has failed, and one is on the cluster `rare`. */
const contentOf = (at: number, startedAt: number): RunContent => ({
  unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: `u${at}` },
  cluster: { kind: 'Secret', namespace: 'apps', name: at % 100 === 3 ? 'rare' : 'usual' },
  cause:
    at % 100 === 1
      ? { type: 'Override', user: 'jane', reason: 'the fix' }
      : at % 100 === 2
        ? { type: 'Source', user: 'Receiver apps/github for mona', author: 'Mona Lisa <mona@example.com>' }
        : { type: 'Source' },
  result: at % 100 === 4 ? 'Failed' : 'Succeeded',
  counts: { configured: 1 },
  startedAt: new Date(startedAt).toISOString(),
})

test('lists by cluster, user, sender, author, cause or result find all and only these, and read no others', async () => {
  const dynamo = simulatedDynamo()
  const clock = manualClock()
  const { runs } = simulatedStore(dynamo, clock)
  const keys = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }
  const codec = runCodec(keys)
  const start = clock.now()
  for (let at = 0; at < total; at++) {
    const [startedAt, namespace] = [start + at * 1000, namespaces[at % 2 ? 0 : 1]!]
    const content = contentOf(at, startedAt)
    const place = { namespace, startedAt, name: runName({ kind: 'Kustomization', name: `u${at}` }, startedAt) }
    const record = { ...place, body: await codec.encode(place, content), facts: factsOf(content), repeats: 0 }
    await runs.add({ ...record, unit: `Kustomization/u${at}`, expires: start + 1e9 }, keysOf(content))
  }
  const items = namespaces.map(name => ({
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: { name, creationTimestamp: '2020-01-01T00:00:00Z' },
  }))
  const hub = { list: async () => ({ items }), get: async () => items[0] } as unknown as Hub
  const reader = runReader({ runs, keys, hub })
  const list = async (fieldSelector: string, namespace?: string) => {
    dynamo.takeUnits()
    const found = await reader.list({
      ...{ group: 'fleet.keelson.dev', kind: 'Run', fieldSelector },
      ...(namespace !== undefined && { namespace }),
    })
    const names = found.items.map(item => (item as unknown as RunContent).unit.name)
    return { names, read: dynamo.takeUnits().read }
  }
  const every = (rest: number) => Array.from({ length: total / 100 }, (_, i) => `u${total - 100 * (i + 1) + rest}`)
  // One for each Run, and for each partition that is asked for them.
  const few = total / 100 + namespaces.length
  for (const [selector, rest] of [
    ...[['by=jane', 1] as const, ['cause.user=jane', 1] as const, ['cause.type=Override', 1] as const],
    ...[['by=mona', 2] as const, ['by=Mona Lisa', 2] as const, ['by=mona@example.com', 2] as const],
    ...[['cluster.name=rare', 3] as const, ['result=Failed', 4] as const, ['cluster.name=usual,by=jane', 1] as const],
  ]) {
    const { names, read } = await list(selector)
    assert.deepEqual(names, every(rest), selector)
    assert.ok(read <= few, `${selector}: ${read} read units`)
  }
  for (const selector of ['by=Receiver apps/github for mona', 'by=Mona Lisa <mona@example.com>'])
    assert.deepEqual((await list(selector)).names, every(2), selector)
  const none = await list('by=nobody')
  assert.deepEqual([none.names, none.read <= namespaces.length], [[], true])
  assert.deepEqual((await list('result=Failed', 'apps')).names, [], 'those are of the other namespace')
  assert.equal((await list('result=Succeeded')).names.length, total - total / 100)
  assert.equal((await list('cluster.name=rare,result=Failed')).names.length, 0)
})
