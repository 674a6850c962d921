import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { LogFields } from '../../../../lib/platform/ports/log.ts'
import type { Delayed, Message } from '../../../../lib/platform/ports/queue.ts'
import type { DueObject } from '../../../../lib/platform/ports/schedule.ts'
import { createHints } from '../../../../lib/reconcile/runtime/hints.ts'
import type { LoopPorts } from '../../../../lib/reconcile/runtime/loop.ts'
import { createLoop, defaultLoopSettings } from '../../../../lib/reconcile/runtime/loop.ts'
import { enqueueDependents } from '../../../../lib/reconcile/runtime/news.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const group = 'kustomize.toolkit.fluxcd.io'
const ref: ObjectRef = { group, kind: 'Kustomization', namespace: 'apps', name: 'web' }
const source: ObjectRef = { ...ref, group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' }
const object: KubernetesObject = {
  apiVersion: `${group}/v1`,
  kind: 'Kustomization',
  metadata: { name: 'web', namespace: 'apps', uid: '1', generation: 1 },
  spec: {},
}
const message: Message = { stage: 'apply', ref, group: 'apps/prod' }

/** The loop over ports that only take notes. */
const within = (more: Partial<Reconciler<KubernetesObject>> = {}, stored: KubernetesObject = object) => {
  const sent: Delayed<Message>[] = []
  const lines: LogFields[] = []
  const reads: ObjectRef[] = []
  const due: DueObject[][] = []
  const ports = {
    clock: manualClock(),
    hub: {
      get: async (asked: ObjectRef) => {
        reads.push(asked)
        return stored
      },
      referrers: async function* () {
        yield ref
      },
    },
    queue: { send: async (messages: readonly Delayed<Message>[]) => void sent.push(...messages) },
    schedule: { setDue: async () => {}, pagesDueBy: () => due.values() },
    log: { info: (msg: string, fields: LogFields) => lines.push({ msg, ...fields }), error: () => {} },
  } as unknown as LoopPorts
  const reconciler = {
    ...{ kind: ref, stage: 'apply', groupOf: () => 'apps/prod', reactsTo: ['GitRepository'] },
    ...more,
  } as Reconciler<KubernetesObject>
  return { ports, reconcilers: [reconciler], loop: createLoop(ports, [reconciler]), sent, lines, reads, due }
}

test('news of a source go through the build stage, where there is something to make ahead', async () => {
  const ahead = within({ prepare: async () => {} })
  await enqueueDependents(ahead.ports, ahead.reconcilers, source)
  assert.deepEqual(ahead.sent, [{ ...message, stage: 'build' }])
  const plain = within()
  await enqueueDependents(plain.ports, plain.reconcilers, source)
  assert.deepEqual(plain.sent, [message])
})

test('what was made ahead, or could not be, is followed by the pass', async () => {
  const made: string[] = []
  const good = within({ prepare: async ({ metadata }) => void made.push(metadata.name) })
  await good.loop.handle({ ...message, stage: 'build' })
  assert.deepEqual([made, good.sent, good.lines], [['web'], [message], []])
  const bad = within({ prepare: () => Promise.reject(new Error('kustomize build failed')) })
  await bad.loop.handle({ ...message, stage: 'build' })
  assert.deepEqual(bad.sent, [message])
  assert.deepEqual(bad.lines, [{ msg: 'failed to prepare a pass', ...ref, why: 'kustomize build failed' }])
})

test('nothing is made ahead for what is suspended or on its way out', async () => {
  const prepare = () => assert.fail('made')
  for (const stored of [
    { ...object, spec: { suspend: true } },
    { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ]) {
    const { loop, sent } = within({ prepare }, stored)
    await loop.handle({ ...message, stage: 'build' })
    assert.deepEqual(sent, [message])
  }
})

test('a tick reads no object whose group the index knows', async () => {
  const { loop, sent, reads, due } = within()
  due.push([{ ref, due: 0, group: 'apps/prod' }])
  await loop.tick()
  assert.deepEqual(sent, [{ ...message, delayMs: 0 }])
  assert.deepEqual(reads, [])
})

test('a tick enqueues once what the index lists twice', async () => {
  const { loop, sent, due } = within()
  const page = Array.from({ length: 500 }, (_, i) => ({ ref: { ...ref, name: `web-${i}` }, due: 0, group: 'g' }))
  due.push(page, page, page)
  await loop.tick()
  assert.equal(sent.length, 500)
})

test('hints are settled when they are in the queue', async () => {
  const { ports, reconcilers, sent } = within()
  const hint = createHints(ports, reconcilers)
  hint(ref, undefined, object)
  await hint.settled()
  assert.deepEqual(sent, [message])
})

test('a process passes on what it has no reconciler for, unless it is where it belongs', async () => {
  const { ports, reconcilers, sent } = within()
  const elsewhere = createLoop(ports, [], defaultLoopSettings, reconcilers)
  await elsewhere.handle({ stage: 'source', ref })
  assert.deepEqual(sent.splice(0), [message])
  await elsewhere.handle({ stage: 'apply', ref })
  await elsewhere.handle({ stage: 'apply', ref: { ...ref, kind: 'Unknown' } })
  assert.deepEqual(sent, [])
})

test('a tick enqueues for reconcilers that it has not itself', async () => {
  const { ports, reconcilers, sent, due } = within()
  due.push([{ ref, due: 0, group: 'apps/prod' }])
  await createLoop(ports, [], defaultLoopSettings, reconcilers).tick()
  assert.deepEqual(sent, [{ ...message, delayMs: 0 }])
})

test('where messages outlive a process, many dependents are enqueued by several functions, each once', async () => {
  const names = Array.from({ length: 1234 }, (_, at) => `web-${at}`)
  const { ports, reconcilers, sent } = within()
  const referrers = async function* () {
    for (const name of names) yield { ...ref, name }
  }
  const sources = { kind: source, stage: 'source' } as unknown as Reconciler<KubernetesObject>
  const all = [...reconcilers, sources]
  const durable = { ...ports, hub: { ...ports.hub, referrers }, queue: { ...ports.queue, isDurable: true as const } }
  await enqueueDependents(durable, all, source)
  const parts = sent.filter(({ refs }) => refs)
  assert.ok(
    parts.length > 0 &&
      parts.every(({ stage, ref, refs }) => stage === 'source' && ref === source && refs!.length <= 100),
  )
  assert.equal(sent.length - parts.length, 500, 'those of a small fleet are enqueued at once')
  const other = createLoop(durable, [sources], defaultLoopSettings, all)
  for (const part of parts) await other.handle(part)
  const enqueued = sent.filter(({ refs }) => !refs).map(message => message.ref.name)
  assert.deepEqual(enqueued.sort(), names.sort())
})

test('where messages end with their process, it enqueues all dependents itself', async () => {
  const { ports, reconcilers, sent } = within()
  const referrers = async function* () {
    for (let at = 0; at < 1234; at++) yield { ...ref, name: `web-${at}` }
  }
  const sources = { kind: source, stage: 'source' } as unknown as Reconciler<KubernetesObject>
  await enqueueDependents(
    { ...ports, hub: { ...ports.hub, referrers } } as LoopPorts,
    [...reconcilers, sources],
    source,
  )
  assert.equal(sent.length, 1234)
  assert.ok(sent.every(({ refs }) => refs === undefined))
})
