import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitingAt } from '../../../lib/compose/waiting-at.ts'

const of = (status: number, body: string) => {
  const requested: string[] = []
  const waitAt = waitingAt('https://hub.example.org:8443', async url => {
    requested.push(url)
    return new Response(body, { status })
  })
  return { requested, wait: (url: string) => waitAt(url, new AbortController().signal) }
}

const queue = 'https://sqs.eu-west-1.amazonaws.com/111122223333/keelson-runner-a?Action=ReceiveMessage'
const response = (content: string) =>
  `<?xml version="1.0"?><ReceiveMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><ReceiveMessageResult>${content}</ReceiveMessageResult></ReceiveMessageResponse>`

test('a message wakes, and a response without one does not', async () => {
  assert.equal(await of(200, response('<Message><Body>news</Body></Message>')).wait(queue), true)
  assert.equal(await of(200, response('')).wait(queue), false)
})

test('a refusal fails with its code, and without the URL, which authorizes itself', async () => {
  const code = 'AWS.SimpleQueueService.NonExistentQueue'
  const { wait } = of(400, `<ErrorResponse><Error><Code>${code}</Code></Error></ErrorResponse>`)
  await assert.rejects(wait(`${queue}&X-Amz-Signature=secret`), ({ message }: Error) => {
    assert.equal(message, `sqs.eu-west-1.amazonaws.com responds with status 400 (${code})`)
    return true
  })
})

test('a hub can not have its runner request another server', async () => {
  for (const url of [
    'http://sqs.eu-west-1.amazonaws.com/1/a',
    'https://169.254.169.254/latest',
    'https://sqs.eu-west-1.amazonaws.com.evil.example/1/a',
    'https://intranet.example.org/',
    'https://s3.eu-west-1.amazonaws.com/bucket',
  ]) {
    const { wait, requested } = of(200, '')
    await assert.rejects(wait(url), /no host of SQS/)
    assert.deepEqual(requested, [])
  }
  for (const url of ['https://sqs.cn-north-1.amazonaws.com.cn/1/a', 'https://hub.example.org:4566/1/a'])
    assert.equal(await of(200, '').wait(url), false)
})
