import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { parseQueueMessage, sample } from '../../events/queue-message.ts'
import { bundleFunctions } from '../../infra/bundle.ts'
import { composeCore } from '../../lib/compose/core.ts'
import { defaultSettings } from '../../lib/compose/settings/settings.ts'
import type { ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { systemClock } from '../../lib/platform/adapters/embedded/system-clock.ts'
import type { Stage } from '../../lib/platform/ports/queue.ts'
import { enqueueDependents } from '../../lib/reconcile/runtime/news.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { deployFunction } from '../bed/aws/deploy-function.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { wires } from '../bed/wires.ts'
import { hubOnAws } from './hub-environment.ts'

// One push that reaches more units than one pass enqueues, over DynamoDB, SQS and the deployed function of the emulator.

const clusters = 20
const perCluster = 31
const units = clusters * perCluster
const author = { fieldManager: 'test' }
const source: ObjectRef = {
  ...{ group: 'source.toolkit.fluxcd.io', kind: 'GitRepository' },
  ...{ namespace: 'default', name: 'apps' },
}
const unitRef = (name: string): ObjectRef => ({
  ...{ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
  ...{ namespace: 'default', name },
})
const names = Array.from({ length: units }, (_, at) => `unit-${String(at).padStart(3, '0')}`)

describe(`a push that reaches ${units} units`, { concurrency: 1 }, async () => {
  const emulator = await awsEmulator()
  const { clients, resources, environment } = await hubOnAws(emulator)
  after(() => clients.close())
  let later = 0
  const clock = { ...systemClock, now: () => Date.now() + later }
  const platform = awsPlatform(resources, { clients, clock })
  const log = { info: () => {}, error: (...said: unknown[]) => console.error(...said) }
  const settings = { ...defaultSettings, artifactAddress: 's3://none', buildAhead: true }
  const { hub, loop, reconcilers } = composeCore({ ...platform, log, connections: wires() }, settings)

  const taken = async (stage: Stage): Promise<readonly Message[]> => {
    const sqs = await clients.sqs()
    const QueueUrl = resources.queues[stage]
    const all: Message[] = []
    for (;;) {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))
      if (Messages.length === 0) return all
      const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }))
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
      all.push(...Messages)
    }
  }
  const read = (messages: readonly Message[]) => messages.map(({ Body = '' }) => parseQueueMessage(Body))
  const namesOf = (messages: readonly Message[]) =>
    read(messages)
      .map(({ ref }) => ref.name)
      .toSorted()
  const due = async (): Promise<readonly ObjectRef[]> => {
    const found: ObjectRef[] = []
    for await (const page of platform.schedule.pagesDueBy(clock.now(), 500)) found.push(...page.map(({ ref }) => ref))
    return found.filter(({ kind }) => kind === 'Kustomization')
  }
  let parts: readonly Message[] = []

  test('is enqueued by its pass as far as 500, and handed on in parts beyond', async () => {
    await hub.prepare()
    const make = async (name: string, at: number) => {
      const kubeConfig = { secretRef: { name: `cluster-${at % clusters}` } }
      const spec = { interval: '1h', prune: true, sourceRef: { kind: source.kind, name: source.name }, kubeConfig }
      const { group, kind, namespace } = unitRef(name)
      await hub.create({ apiVersion: `${group}/v1`, kind, metadata: { name, namespace }, spec } as never, author)
      await platform.schedule.setDue(unitRef(name), undefined)
    }
    for (let at = 0; at < units; at += perCluster)
      await Promise.all(names.slice(at, at + perCluster).map((name, i) => make(name, at + i)))
    await hub.settled()
    for (const stage of ['build', 'apply', 'source'] as const) await taken(stage)
    assert.deepEqual(await due(), [])

    await enqueueDependents({ ...platform, hub }, reconcilers, source)
    parts = await taken('source')
    const handedOn = read(parts).flatMap(({ refs = [] }) => refs.map(({ name }) => name))
    const here = namesOf(await taken('build'))
    assert.deepEqual([here.length, handedOn.length, parts.length], [500, units - 500, 2])
    assert.deepEqual([...here, ...handedOn].toSorted(), names)
    assert.equal((await due()).length, 500)
  })

  test('reaches the others by the function that gets a part', async () => {
    const bundles = tempDir()
    await bundleFunctions(['source'], bundles)
    await deployFunction(emulator, { name: 'source', environment, folder: join(bundles, 'source') })
    const Records = parts.map(({ Body }, at) => ({ ...sample.Records[0], messageId: `part-${at}`, body: Body }))
    const { headers, text } = await awsRequests(emulator)({
      ...{ service: 'lambda', method: 'POST', path: '/2015-03-31/functions/source/invocations' },
      body: JSON.stringify({ Records }),
    })
    assert.deepEqual([headers['x-amz-function-error'], JSON.parse(text)], [undefined, { batchItemFailures: [] }])
    const handedOn = read(parts).flatMap(({ refs = [] }) => refs.map(({ name }) => name))
    assert.deepEqual(namesOf(await taken('build')), handedOn.toSorted())
    assert.deepEqual((await due()).map(({ name }) => name).toSorted(), names)
  })

  test('reaches all of them by the next tick when every message is lost, in pages, by a call to each visit', async () => {
    const called = new Set<string>()
    const failures: unknown[] = []
    // A tick that fails, as it may where one machine is emulator and hub, is not made up for: another one finds the rest when it is due again.
    for (let ticks = 1; called.size < units && ticks <= 5; ticks++) {
      await loop.tick().catch(error => failures.push(error))
      const calls = read(await taken('apply'))
      // A cluster's units may stand on two pages of the tick.
      assert.ok(calls.length <= 2 * clusters, `${calls.length} calls`)
      for (const { name } of calls.flatMap(({ refs = [] }) => refs)) called.add(name)
      if (called.size === units)
        assert.deepEqual(await due(), [], 'whoever is called is not due again before the call had its time')
      later += 5 * 60_000
    }
    assert.equal(called.size, units, `ticks failed: ${failures.join('; ')}`)
  })
})
