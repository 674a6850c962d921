import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type InProcessQueueOptions, inProcessQueue } from '../../../lib/platform/adapters/embedded/in-process-queue.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import type { Message } from '../../../lib/platform/ports/queue.ts'
import { manualClock } from '../../contracts/manual-clock.ts'
import { settled } from './world.ts'

const message = (name: string, group?: string): Message => ({
  stage: 'apply',
  ref: { group: 'test', kind: 'Widget', namespace: 'default', name },
  group,
})

const of = (namespace: string, name: string, group?: string): Message => {
  const { ref, ...rest } = message(name, group)
  return { ...rest, ref: { ...ref, namespace } }
}

function world(options: Partial<InProcessQueueOptions> = {}) {
  const clock = manualClock()
  const start = clock.now()
  // In the middle of the jitter.
  const random = { ...systemRandom, fraction: () => 0.5 }
  const queue = inProcessQueue({ clock, random, ...options })
  const log: string[] = []
  const note = async ({ ref }: Message) => void log.push(`${ref.name}@${clock.now() - start}`)
  return { clock, queue, log, note }
}

describe('in-process queue', () => {
  test('delivers messages that wait for one object as one, at the earliest of their times', async () => {
    const { clock, queue, log, note } = world()
    queue.consume('apply', { concurrency: 10 }, note)
    await queue.send([
      { ...message('a'), delayMs: 500 },
      { ...message('a'), delayMs: 100 },
      { ...message('a'), delayMs: 900 },
      { ...message('b'), delayMs: 50 },
    ])
    await clock.advance(1000)
    assert.deepEqual(log, ['b@50', 'a@100'])
  })

  test('delivers a message that comes while its object is worked on afterwards, once', async () => {
    const { queue, log } = world()
    const gate = Promise.withResolvers<void>()
    let running = 0
    queue.consume('apply', { concurrency: 10 }, async ({ ref }) => {
      assert.equal(++running, 1, 'never two at a time')
      log.push(ref.name)
      if (log.length === 1) await gate.promise
      running -= 1
    })
    await queue.send([message('a')])
    await settled()
    await queue.send([message('a'), message('a')])
    await settled()
    assert.deepEqual(log, ['a'])
    gate.resolve()
    await settled()
    assert.deepEqual(log, ['a', 'a'])
  })

  test('waits twice as long before each redelivery, then sets the message aside', async () => {
    const failures: (number | boolean)[][] = []
    const { clock, queue, log, note } = world({
      maxDeliveries: 4,
      firstRetryMs: 1000,
      onFailure: ({ deliveries, willRetry }) => failures.push([deliveries, willRetry]),
    })
    queue.consume('apply', { concurrency: 1 }, async message => {
      await note(message)
      throw new Error('no')
    })
    await queue.send([message('a')])
    await clock.advance(60_000)
    assert.deepEqual(log, ['a@0', 'a@1000', 'a@3000', 'a@7000'])
    assert.deepEqual(failures, [
      [1, true],
      [2, true],
      [3, true],
      [4, false],
    ])
    assert.deepEqual(
      queue.deadLetters().map(({ message, deliveries }) => [message.ref.name, deliveries]),
      [['a', 4]],
    )
  })

  test('delivers a failing message at once when it is sent again', async () => {
    const { clock, queue, log, note } = world()
    queue.consume('apply', { concurrency: 1 }, async message => {
      await note(message)
      if (log.length === 1) throw new Error('no')
    })
    await queue.send([message('a')])
    await settled()
    await clock.advance(10)
    await queue.send([message('a')])
    await clock.advance(60_000)
    assert.deepEqual(log, ['a@0', 'a@10'])
  })

  test('goes round the namespaces, whatever groups the messages of one are in', async () => {
    const { queue, log, note } = world()
    await queue.send([
      ...Array.from({ length: 4 }, (_, at) => of('busy', `busy${at}`, `cluster${at}`)),
      of('calm', 'calm0', 'cluster0'),
      of('calm', 'calm1', 'cluster0'),
    ])
    await settled()
    queue.consume('apply', { concurrency: 1 }, note)
    await settled()
    const order = log.map(entry => entry.split('@')[0])
    assert.deepEqual(order, ['busy0', 'calm0', 'busy1', 'calm1', 'busy2', 'busy3'])
  })

  test('keeps spare places for namespaces that have few running', async () => {
    const { queue } = world()
    const running: string[] = []
    const never = new Promise<void>(() => {})
    queue.consume('apply', { concurrency: 3, spare: 1 }, async ({ ref }) => {
      running.push(ref.namespace)
      await never
    })
    await queue.send(Array.from({ length: 10 }, (_, at) => of('busy', `busy${at}`)))
    await settled()
    assert.deepEqual(running, ['busy', 'busy', 'busy'])
    await queue.send([of('calm', 'calm0'), of('calm', 'calm1')])
    await settled()
    assert.deepEqual(running, ['busy', 'busy', 'busy', 'calm'])
  })

  test('goes round the groups', async () => {
    const { queue, log, note } = world()
    await queue.send(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(name => message(name, name[0])))
    queue.consume('apply', { concurrency: 1 }, note)
    await settled()
    await settled()
    assert.deepEqual(
      log.map(entry => entry.split('@')[0]),
      ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'],
    )
  })

  test('refuses a second consumer of a stage', () => {
    const { queue, note } = world()
    queue.consume('apply', { concurrency: 1 }, note)
    assert.throws(() => queue.consume('apply', { concurrency: 1 }, note), /already has a consumer/)
  })

  test('forgets what waits when it closes', async () => {
    const { clock, queue, log, note } = world()
    queue.consume('apply', { concurrency: 1 }, note)
    await queue.send([{ ...message('a'), delayMs: 10 }])
    await queue.close()
    await queue.send([message('b')])
    await clock.advance(1000)
    assert.deepEqual(log, [])
  })
})
