import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventMessages } from '../../../../lib/platform/cloud/aws/event-stream.ts'

/** Framed by AWS' own code: EventStreamCodec of @smithy/core 3.41.0. */
const framed = {
  'PayloadChunk ä': 'AAAAQwAAADErr/3KDTptZXNzYWdlLXR5cGUHAAVldmVudAs6ZXZlbnQtdHlwZQcADFBheWxvYWRDaHVua8OkMW2cMQ==',
  'PayloadChunk ': 'AAAAQQAAADFRb66qDTptZXNzYWdlLXR5cGUHAAVldmVudAs6ZXZlbnQtdHlwZQcADFBheWxvYWRDaHVua9x5934=',
  'InvokeComplete {}': 'AAAARQAAADNK4WlGDTptZXNzYWdlLXR5cGUHAAVldmVudAs6ZXZlbnQtdHlwZQcADkludm9rZUNvbXBsZXRle31L7TfW',
} as const
const bytesOf = (...messages: readonly (keyof typeof framed)[]): Buffer =>
  Buffer.concat(messages.map(message => Buffer.from(framed[message], 'base64')))

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = async (chunks: AsyncIterable<Uint8Array>) =>
  (await Array.fromAsync(eventMessages(chunks))).map(
    ({ headers, payload }) => `${headers.get(':event-type')} ${payload.toString()}`,
  )

test('reads messages, however they are cut on their way', async () => {
  const messages = ['PayloadChunk ä', 'PayloadChunk ', 'InvokeComplete {}'] as const
  const bytes = bytesOf(...messages)
  for (const size of [1, 7, 64, bytes.length]) assert.deepEqual(await read(inPieces(bytes, size)), messages)
})

test('yields a message as soon as it is there', async () => {
  const messages = eventMessages(
    (async function* () {
      yield bytesOf('PayloadChunk ä')
      throw new Error('the second was asked for')
    })(),
  )
  assert.equal((await messages.next()).value?.payload.toString(), 'ä')
})

test('refuses what is damaged or cut off', async () => {
  const bytes = bytesOf('PayloadChunk ä')
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 1
    await assert.rejects(read(inPieces(damaged, 64)), /event stream/, `byte ${at}`)
  }
  await assert.rejects(read(inPieces(bytes.subarray(0, -1), 64)), /ended within a message/)
})
