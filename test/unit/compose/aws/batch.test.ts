import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handleBatch, type Received } from '../../../../lib/compose/aws/batch.ts'
import type { Message } from '../../../../lib/platform/ports/queue.ts'

const received = (name: string, alone = false): Received => ({
  id: name,
  receipt: `receipt of ${name}`,
  message: {
    ...{ stage: 'apply', ref: { group: 'g', kind: 'K', namespace: 'n', name } },
    ...(alone && { alone: true }),
  } as Message,
})

const scene = (fails: readonly string[] = [], unreachable = false) => {
  const told: string[] = []
  const ports = {
    queue: { send: async (messages: readonly Message[]) => void told.push(`send ${messages.map(m => m.ref.name)}`) },
    acknowledge: async (stage: string, receipts: readonly string[]) => {
      if (unreachable) throw new Error('SQS does not answer')
      told.push(`out of ${stage}: ${receipts}`)
    },
    handle: async ({ id }: Received) => {
      told.push(`${id} begins`)
      await new Promise(setImmediate)
      if (fails.includes(id)) throw new Error('failed')
      told.push(`${id} ends`)
    },
  }
  const run = async (...batch: Received[]) => (await handleBatch(ports, batch)).map(({ id }) => id)
  return { told, run }
}

test('messages are handled side by side, and only those that failed come again', async () => {
  const { told, run } = scene(['b'])
  assert.deepEqual(await run(received('a'), received('b'), received('c')), ['b'])
  assert.deepEqual(told, ['a begins', 'b begins', 'c begins', 'a ends', 'c ends'])
})

test('what may end the process comes last, when the others are out of the queue and its like are back in it', async () => {
  const { told, run } = scene(['b'])
  assert.deepEqual(await run(received('x', true), received('a'), received('b'), received('y', true)), ['b'])
  assert.deepEqual(told, [
    ...['a begins', 'b begins', 'a ends'],
    ...['send y', 'out of apply: receipt of a,receipt of y', 'x begins', 'x ends'],
  ])
})

test('does not run it where the others can not be taken out of the queue, or when it fails: it comes again', async () => {
  const unreachable = scene([], true)
  assert.deepEqual(await unreachable.run(received('x', true), received('a')), ['x'])
  assert.deepEqual(unreachable.told, ['a begins', 'a ends'])
  assert.deepEqual(await scene(['x']).run(received('x', true)), ['x'])
})
