import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { request } from 'undici'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { deployFunction } from '../bed/aws/deploy-function.ts'
import { awsEmulator, startAwsEmulator } from '../bed/aws/emulator.ts'
import { functionUrl } from '../bed/aws/function-url.ts'
import { eventually } from '../bed/eventually.ts'

const callerIdentity = {
  ...{ service: 'sts', method: 'POST', path: '/', body: 'Action=GetCallerIdentity&Version=2011-06-15' },
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
}

test('streams the response of a real function through its URL, chunk by chunk', async () => {
  const emulator = await awsEmulator()
  await deployFunction(emulator, {
    ...{ name: 'echo', url: 'RESPONSE_STREAM' },
    folder: join(import.meta.dirname, 'echo-function'),
  })
  const { url } = await functionUrl(emulator, 'echo')
  // The function goes on when we have what it wrote before: an answer that came at its end only would never come.
  const asked: (() => void)[] = []
  const more = createServer((_, response) => void asked.push(() => response.end())).listen(0, '127.0.0.1')
  await once(more, 'listening')
  const headers = { 'x-more': `http://127.0.0.1:${(more.address() as AddressInfo).port}` }
  const answer = await request(`${url}/a%2Fb`, { headers })
  assert.equal(answer.statusCode, 201)
  assert.equal(answer.headers['x-seen'], '/a%2Fb')
  const chunks: string[] = []
  for await (const chunk of answer.body) {
    chunks.push(String(chunk))
    if (chunks.length < 3) (await eventually(() => asked.pop() ?? null))()
  }
  assert.deepEqual(chunks, ['one', 'two', 'three'])
  more.close()
})

test('accepts only valid signatures when it enforces them', async () => {
  const emulator = await awsEmulator({ auth: true })
  const { status, text } = await awsRequests(emulator)(callerIdentity)
  assert.equal(status, 200, text)
  assert.ok(text.includes(`<Account>${emulator.account}</Account>`), text)
  const forged = { ...emulator, credentials: { ...emulator.credentials, accessKeyId: 'AKIAIOSFODNN7EXAMPLE' } }
  assert.equal((await awsRequests(forged)(callerIdentity)).status, 403)
})

test('leaves no process behind', async () => {
  const emulator = await startAwsEmulator()
  await emulator[Symbol.asyncDispose]()
  await assert.rejects(fetch(emulator.endpoint))
})
