import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { sample } from '../../events/queue-message.ts'
import { bundleFunctions } from '../../infra/bundle.ts'
import { composeCore } from '../../lib/compose/core.ts'
import { defaultSettings } from '../../lib/compose/settings/settings.ts'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { deployFunction } from '../bed/aws/deploy-function.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { eventually } from '../bed/eventually.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { wires } from '../bed/wires.ts'
import { hubOnAws } from './hub-environment.ts'

const ref = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'app' }

/** A git server that makes everybody wait until it is told to refuse them; tells how many asked it at the same time, and in all. */
async function slowGitServer() {
  const seen = { now: 0, most: 0, all: 0 }
  const { promise: mayRefuse, resolve: refuse } = Promise.withResolvers<void>()
  const server = createServer(async (_, response) => {
    seen.now += 1
    seen.all += 1
    seen.most = Math.max(seen.most, seen.now)
    await mayRefuse
    seen.now -= 1
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/app.git`, seen, refuse }
}

test('runs one reconcile at a time for 10 deliveries of one object to 10 Lambdas, and one more for the others', async () => {
  const emulator = await awsEmulator()
  const { clients, resources, environment } = await hubOnAws(emulator)
  after(() => clients.close())
  const git = await slowGitServer()
  const log = { info: () => {}, error: () => {} }
  const core = composeCore(
    { ...awsPlatform(resources, { clients }), log, connections: wires() },
    { ...defaultSettings, artifactAddress: 's3://none' },
  )
  await core.hub.prepare()
  const object = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: ref.name, namespace: ref.namespace },
    spec: { url: git.url, interval: '10m' },
  }
  await core.hub.create(object, { fieldManager: 'test' })
  await core.hub.settled()

  const bundles = tempDir()
  await bundleFunctions(['source'], bundles)
  await deployFunction(emulator, { name: 'source', environment, folder: join(bundles, 'source') })
  const aws = awsRequests(emulator)
  const event = { Records: [{ ...sample.Records[0], body: JSON.stringify({ stage: 'source', ref }) }] }
  const deliver = async () => {
    const path = '/2015-03-31/functions/source/invocations'
    const { status, headers, text } = await aws({
      service: 'lambda',
      method: 'POST',
      path,
      body: JSON.stringify(event),
    })
    assert.deepEqual(
      [status, headers['x-amz-function-error'], JSON.parse(text)],
      [200, undefined, { batchItemFailures: [] }],
    )
  }
  const waiting = async () => {
    const attributes = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesDelayed'] as const
    const { Attributes = {} } = await (await clients.sqs()).send(
      new GetQueueAttributesCommand({ QueueUrl: resources.queues.source, AttributeNames: [...attributes] }),
    )
    return attributes.reduce((sum, name) => sum + Number(Attributes[name]), 0)
  }
  const before = await waiting()
  let ended = 0
  const deliveries = Array.from({ length: 10 }, () => deliver().finally(() => void ended++))
  // One of them holds the object and waits for the git server, the others are turned away.
  await eventually(() => assert.deepEqual([ended, git.seen.now], [9, 1]))
  git.refuse()
  await Promise.all(deliveries)

  assert.equal(git.seen.most, 1, 'reconciles at the same time')
  const again = (await waiting()) - before
  assert.ok(again >= 1 && again <= git.seen.all, `${again} messages for those who were turned away`)
  const stored = (await core.hub.get<GitRepository>(ref))!
  assert.equal(stored.status?.conditions?.find(({ type }) => type === 'Ready')?.reason, 'GitOperationFailed')
})
