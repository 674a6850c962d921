/** The queues at which runners wait, as SQS responds; with the emulator in test/deploy/stories/leaves-to-runners.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runnerQueues } from '../../../../lib/compose/aws/runner-queues.ts'
import { CloudError } from '../../../../lib/platform/cloud/cloud-error.ts'
import type { Fetch } from '../../../../lib/platform/cloud/send-request.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

interface Response {
  readonly status: number
  readonly text: string
}

const ok = (json: object): Response => ({ status: 200, text: JSON.stringify(json) })
const refusal = (code: string, status = 400): Response => ({
  status,
  text: JSON.stringify({ __type: `com.amazonaws.sqs#${code}`, message: 'no' }),
})

const base = 'https://sqs.eu-west-1.amazonaws.com/111122223333'

const scene = (responses: readonly Response[]) => {
  const sent: { readonly operation: string; readonly body: Readonly<Record<string, unknown>> }[] = []
  const errors: string[] = []
  const left = [...responses]
  const fetch: Fetch = async (url, { headers, body = '' }) => {
    assert.equal(url, 'https://sqs.eu-west-1.amazonaws.com/')
    assert.equal(headers['content-type'], 'application/x-amz-json-1.0')
    sent.push({ operation: headers['x-amz-target']!.replace('AmazonSQS.', ''), body: JSON.parse(body) })
    const { status, text } = left.shift() ?? ok({})
    return {
      status,
      headers: { get: () => null },
      body: (async function* () {
        yield Buffer.from(text)
      })(),
    }
  }
  const clock = { ...manualClock(Date.UTC(2026, 10, 28)), sleep: async () => {} }
  const identity = async () => ({ accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'session' })
  const log = { info: () => {}, error: (message: string) => void errors.push(message) }
  const options = { hubName: 'keelson', region: 'eu-west-1', besides: `${base}/keelson-apply`, identity }
  return { ...runnerQueues({ cloud: { fetch }, clock, log }, options), sent, errors }
}

const operations = ({ sent }: Pick<ReturnType<typeof scene>, 'sent'>) => sent.map(({ operation }) => operation)

test('a runner gets a URL that receives from its own queue for a quarter of an hour, and holds no secret key', async () => {
  const it = scene([])
  const url = new URL(await it.open('ConfigMap/ships/aurora'))
  const { QueueName, Attributes } = it.sent[0]!.body
  assert.deepEqual(operations(it), ['CreateQueue'])
  assert.match(String(QueueName), /^keelson-runner-[0-9a-f]{32}$/)
  assert.equal(url.origin + url.pathname, `${base}/${QueueName}`)
  const of = (name: string) => url.searchParams.get(name)
  assert.deepEqual(['Action', 'WaitTimeSeconds', 'X-Amz-Expires', 'X-Amz-Security-Token'].map(of), [
    'ReceiveMessage',
    '20',
    '900',
    'session',
  ])
  assert.match(of('X-Amz-Credential') ?? '', /^AKID\/20261128\/eu-west-1\/sqs\/aws4_request$/)
  assert.doesNotMatch(url.href, /secret/)
  const { MessageRetentionPeriod, VisibilityTimeout } = Attributes as Readonly<Record<string, string>>
  assert.ok(Number(VisibilityTimeout) > Number(MessageRetentionPeriod), 'a message that nobody deletes comes once')
  const other = new URL(await it.open('ConfigMap/ships/berlin'))
  assert.notEqual(other.pathname, url.pathname)
})

test('a queue that can not be made now most probably exists: the runner gets the URL, and the log says so', async () => {
  const it = scene([refusal('RequestThrottled')])
  assert.match(await it.open('ConfigMap/ships/aurora'), /X-Amz-Signature=/)
  assert.deepEqual(it.errors, ['failed to create the queue of a runner'])
})

test('a wake-up is sent again if SQS fails, and not at all where no runner has waited', async () => {
  const it = scene([refusal('InternalError', 500), ok({})])
  await it.send('ConfigMap/ships/aurora')
  assert.deepEqual(operations(it), ['SendMessage', 'SendMessage'])
  assert.deepEqual(it.sent[0]!.body.MessageBody, 'news')
  const nobody = scene([refusal('QueueDoesNotExist')])
  await nobody.send('ConfigMap/ships/aurora')
  assert.deepEqual(operations(nobody), ['SendMessage'])
  const down = scene(Array(3).fill(refusal('InternalError', 500)))
  await assert.rejects(down.send('ConfigMap/ships/aurora'), CloudError)
})

test('queues of clusters that are no more are deleted, over all pages, and nothing is read if there are none', async () => {
  const own = scene([])
  await own.open('ConfigMap/ships/aurora')
  const kept = `${base}/${own.sent[0]!.body.QueueName}`
  const pages = [ok({ QueueUrls: [kept, `${base}/keelson-runner-gone`], NextToken: 'more' })]
  const it = scene([...pages, ok({ QueueUrls: [`${base}/keelson-runner-old`] }), { status: 200, text: '' }])
  await it.keepOnly(async () => ['ConfigMap/ships/aurora'])
  assert.deepEqual(
    it.sent.map(({ operation, body: { NextToken, QueueUrl } }) => [operation, NextToken ?? QueueUrl]),
    [
      ['ListQueues', undefined],
      ['ListQueues', 'more'],
      ['DeleteQueue', `${base}/keelson-runner-gone`],
      ['DeleteQueue', `${base}/keelson-runner-old`],
    ],
  )
  await scene([ok({})]).keepOnly(async () => assert.fail('nothing was to be read'))
})
