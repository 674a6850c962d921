import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunContent } from '../../../../lib/foundations/kinds/run.ts'
import type { RunRequest } from '../../../../lib/hub/runners/protocol.ts'
import { runCodec } from '../../../../lib/hub/runs/run-codec.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { reportedRuns } from '../../../../lib/reconcile/runner/reported-runs.ts'
import { hubWorld } from '../../hub/store/world.ts'

const contentOf = (message: string): RunContent => ({
  unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app', uid: 'u' },
  cause: { type: 'Source' },
  counts: {},
  result: 'Failed',
  message,
  startedAt: '2026-01-01T00:00:00.000Z',
})

type Handed = Omit<RunRequest, 'lease'>

const world = async () => {
  const { platform } = await hubWorld()
  const handed: Handed[] = []
  const state: { fault?: Error | undefined; onSend?: () => Promise<void> } = {}
  const session = {
    run: async (run: Handed) => {
      if (state.fault) throw state.fault
      await state.onSend?.()
      handed.push(run)
    },
  }
  const errors: string[] = []
  const make = () => reportedRuns({ ...platform, session, log: { error: what => void errors.push(what) } })
  const recordOf = async (startedAt: number, message: string) => {
    const place = { namespace: 'ships', startedAt, name: `kustomization-app-${startedAt}` }
    const body = await runCodec(platform.keys).encode(place, contentOf(message))
    return { ...place, unit: 'Kustomization/app', body, facts: '', repeats: 0, expires: Number.MAX_SAFE_INTEGER }
  }
  const messages = () => handed.map(({ content }) => content.message)
  return { make, recordOf, handed, messages, state, errors }
}

test('a Run is handed to the hub as soon as it is recorded, and again when it repeats', async () => {
  const { make, recordOf, handed } = await world()
  const runs = make()
  const record = await recordOf(1, 'refused')
  await runs.add({ ...record, alike: 'a' })
  await runs.repeat(record, 9)
  assert.deepEqual(
    handed.map(({ ref, uid, startedAt, repeats, repeatedAt, alike }) => [
      ref.name,
      uid,
      startedAt,
      repeats,
      repeatedAt,
      alike,
    ]),
    [
      ['app', 'u', 1, 0, undefined, 'a'],
      ['app', 'u', 1, 1, 9, 'a'],
    ],
  )
  await runs.handOver()
  assert.equal(handed.length, 2, 'nothing twice')
})

test('Runs of a time without a hub are handed over later, in their latest state, by the next process too', async () => {
  const { make, recordOf, messages, state } = await world()
  state.fault = new Error('the hub is away')
  const runs = make()
  await runs.add(await recordOf(1, 'begun'))
  await runs.replace(await recordOf(1, 'ended'))
  await runs.add(await recordOf(2, 'another'))
  await assert.rejects(runs.handOver(), /away/)
  state.fault = undefined
  const next = make()
  await next.handOver()
  assert.deepEqual(messages(), ['ended', 'another'])
  await next.handOver()
  assert.equal(messages().length, 2)
})

test('a Run that changes while it is sent is sent again', async () => {
  const { make, recordOf, messages, state } = await world()
  const runs = make()
  let changing: Promise<void> | undefined
  state.onSend = async () => {
    state.onSend = async () => {}
    const record = await recordOf(1, 'ended')
    const stored = Promise.withResolvers<void>()
    changing = runs.replace(record).finally(stored.resolve)
    await new Promise(resolve => setImmediate(resolve))
  }
  await runs.add(await recordOf(1, 'begun'))
  await changing
  assert.equal(messages().at(-1), 'ended')
})

test('a Run that the hub refuses for good is not sent for ever', async () => {
  const { make, recordOf, messages, state, errors } = await world()
  const runs = make()
  state.fault = new ApiError(404, 'NotFound', 'the object is no unit of this runner, or not any more')
  await runs.add(await recordOf(1, 'of a unit that moved'))
  state.fault = undefined
  await runs.handOver()
  assert.deepEqual([messages(), errors], [[], ['the hub does not take a Run']])
})
