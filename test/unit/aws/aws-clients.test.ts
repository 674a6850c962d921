import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { type AwsClients, awsClients } from '../../../lib/platform/adapters/aws/aws-clients.ts'
import { eventually } from '../../bed/eventually.ts'
import { endWithTest } from '../../bed/teardown.ts'

const silenceMs = 800

/** Clients of a service that answers as told; a call is told by its method and how many came before it. */
const clientsOf = async (answer: (asked: number, respond: Respond) => unknown): Promise<AwsClients> => {
  let asked = 0
  const server = createServer(async (request, response) => {
    const at = asked++
    request.resume()
    await once(request, 'end')
    await answer(at, {
      head: () => response.writeHead(200),
      write: text => response.write(text),
      end: text => response.end(text),
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clients = awsClients(
    { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
    silenceMs,
  )
  endWithTest({
    async [Symbol.asyncDispose]() {
      clients.close()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
  return clients
}

interface Respond {
  head(): unknown
  write(text: string): unknown
  end(text?: string): unknown
}

const item = new GetItemCommand({ TableName: 'hub', Key: { pk: { S: 'a' } } })

test('a request without a response is retried', async () => {
  let calls = 0
  const { dynamo } = await clientsOf((asked, { end }) => {
    calls++
    if (asked > 0) end('{"Item": {"pk": {"S": "a"}}}')
  })
  assert.deepEqual((await dynamo.send(item)).Item, { pk: { S: 'a' } })
  // On a busy machine an answer, too, may come later than after `silenceMs`: then there is a third call.
  assert.ok(calls >= 2)
})

test('a truncated response fails instead of hanging', async () => {
  const { s3 } = await clientsOf((_, { head, write }) => {
    head()
    write('half of it, and then nothing')
  })
  const { Body } = await (await s3()).send(new GetObjectCommand({ Bucket: 'hub', Key: 'artifact' }))
  await assert.rejects(Body!.transformToByteArray(), /timed out|aborted/)
})

test('a slow call that makes progress is not aborted', async () => {
  const { s3 } = await clientsOf((_, { end }) => end())
  await eventually(async () => {
    const silences: number[] = []
    async function* slowly() {
      for (let at = 0; at < 4; at++) {
        const before = performance.now()
        await sleep(silenceMs / 2.5)
        silences.push(performance.now() - before)
        yield Buffer.from('piece')
      }
    }
    const put = new PutObjectCommand({ Bucket: 'hub', Key: 'k', Body: Readable.from(slowly()), ContentLength: 20 })
    const attempts = await (await s3()).send(put).then(
      ({ $metadata }) => $metadata.attempts,
      (error: Error) => error.message,
    )
    // A busy machine may have been silent for too long: that call may end as it likes, and another is made.
    if (Math.max(...silences) > silenceMs / 1.5) return null
    assert.equal(attempts, 1)
    return true
  })
})
