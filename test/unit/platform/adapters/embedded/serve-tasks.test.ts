import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MessageChannel, Worker } from 'node:worker_threads'
import type {
  CallMessage,
  OutcomeMessage,
  StartMessage,
} from '../../../../../lib/platform/adapters/embedded/thread-messages.ts'

test('a task that waits for a response is not confused by that of another', async () => {
  const worker = new Worker(new URL('./pool-tasks.ts', import.meta.url))
  const [direct, later] = [new MessageChannel(), new MessageChannel()]
  const responded = new SharedArrayBuffer(4)
  const flag = new Int32Array(responded)
  direct.port1.on('message', async ({ id, args }: CallMessage) => {
    // As when this thread was held up between an answer and its notice.
    for (let notices = 0; notices < 5; notices++) {
      Atomics.notify(flag, 0)
      await sleep(5)
    }
    direct.port1.postMessage({ id, value: Buffer.from(`<${args}>`) } satisfies OutcomeMessage)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  })
  const start: StartMessage = {
    name: 'readAll',
    input: ['a', 'b', 'c'],
    syncCalls: direct.port2,
    asyncCalls: later.port2,
    responded,
  }
  const outcome = once(worker, 'message')
  worker.postMessage(start, [direct.port2, later.port2])
  const [{ value, error }] = (await outcome) as [OutcomeMessage & { readonly value?: unknown }]
  await worker.terminate()
  assert.equal(error, undefined)
  assert.deepEqual(value, ['<a>', '<b>', '<c>'])
})
