import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Message, maxDelayMs, type Queue, type QueueConsumer } from '../../lib/platform/ports/queue.ts'
import { eventually } from '../bed/eventually.ts'
import { widget } from './store-world.ts'

export interface QueueWorld {
  readonly queue: Queue & QueueConsumer
  /** Messages that failed too often. */
  deadLetters(): Promise<readonly Message[]>
  close(): Promise<void>
}

export interface QueueTimes {
  /** Within this time of a quiet machine what must come has come, redeliveries too. */
  readonly patienceMs: number
  /** A delay that the platform can tell from none. */
  readonly delayMs: number
  /** Whether groups take turns here: an emulator may lack what the real service has. */
  readonly fair: boolean
}

/** What every queue must do. The times are a platform's own; nothing here relies on more than at-least-once delivery. */
export function describeQueue(name: string, open: () => Promise<QueueWorld>, times: QueueTimes): void {
  const within = (story: (world: QueueWorld) => Promise<void>) => async () => {
    const world = await open()
    try {
      await story(world)
    } finally {
      await world.close()
    }
  }
  const message = (name: string, group?: string): Message => ({
    stage: 'apply',
    ref: widget(name),
    ...(group && { group }),
  })
  const until = async (holds: () => boolean | Promise<boolean>, what: string) => {
    const probe = async () => assert.ok(await holds(), what)
    await eventually(probe, { within: times.patienceMs, every: 5 })
  }

  describe(`queue: ${name}`, () => {
    test(
      'delivers each message to its own stage, at least once, as it was sent',
      within(async ({ queue }) => {
        const seen = { apply: new Map<string, Message>(), build: new Map<string, Message>() }
        for (const stage of ['apply', 'build'] as const)
          queue.consume(stage, { concurrency: 4 }, async message => void seen[stage].set(message.ref.name, message))
        const sent = Array.from({ length: 25 }, (_, i) => message(`m${i}`, `g${i % 3}`))
        await queue.send(sent)
        await queue.send([{ ...message('other'), stage: 'build' }])
        await until(() => seen.apply.size === 25 && seen.build.size === 1, 'all messages')
        for (const message of sent) assert.deepEqual(seen.apply.get(message.ref.name), message)
        assert.deepEqual([...seen.build.keys()], ['other'])
      }),
    )

    test(
      'loses no message to one that brings a certain pass only',
      within(async ({ queue }) => {
        const seen: Message[] = []
        await queue.send([{ ...message('a'), dueAt: 5 }, message('a')])
        await queue.send([message('b'), { ...message('b'), dueAt: 5 }])
        await queue.send([{ ...message('c'), dueAt: 5 }])
        queue.consume('apply', { concurrency: 1 }, async message => void seen.push(message))
        const has = (name: string, dueAt?: number) =>
          seen.some(({ ref, dueAt: at }) => ref.name === name && at === dueAt)
        await until(() => has('a') && has('b') && has('c', 5), 'those without a condition, and the only one with it')
      }),
    )

    test(
      'keeps what was sent before anybody consumed',
      within(async ({ queue }) => {
        await queue.send([message('early')])
        const seen: string[] = []
        queue.consume('apply', { concurrency: 1 }, async ({ ref }) => void seen.push(ref.name))
        await until(() => seen.includes('early'), 'the early message')
      }),
    )

    test(
      'delivers a delayed message not before its time, and the others before it',
      within(async ({ queue }) => {
        const seen = new Map<string, number>()
        queue.consume('apply', { concurrency: 1 }, async ({ ref }) => void seen.set(ref.name, Date.now()))
        const sentAt = Date.now()
        await queue.send([{ ...message('later'), delayMs: times.delayMs }, message('now')])
        await until(() => seen.size === 2, 'both messages')
        assert.ok(seen.get('later')! - sentAt >= times.delayMs * 0.95, `after ${seen.get('later')! - sentAt} ms`)
        assert.ok(seen.get('now')! < seen.get('later')!)
      }),
    )

    test(
      'refuses a delay that no platform could keep',
      within(async ({ queue }) => {
        await assert.rejects(queue.send([{ ...message('a'), delayMs: maxDelayMs + 1 }]), RangeError)
      }),
    )

    test(
      'delivers again what a handler failed on',
      within(async ({ queue }) => {
        let deliveries = 0
        queue.consume('apply', { concurrency: 1 }, async () => {
          deliveries += 1
          if (deliveries === 1) throw new Error('a passing fault')
        })
        await queue.send([message('a')])
        await until(() => deliveries === 2, 'a second delivery')
      }),
    )

    test(
      'sets a message aside that fails repeatedly, and continues with the others',
      within(async ({ queue, deadLetters }) => {
        const seen = new Set<string>()
        queue.consume('apply', { concurrency: 2 }, async ({ ref }) => {
          if (ref.name === 'poisoned') throw new Error('always')
          seen.add(ref.name)
        })
        await queue.send([message('poisoned'), message('a')])
        await until(async () => (await deadLetters()).length === 1, 'the poisoned message set aside')
        await queue.send([message('b')])
        await until(() => seen.size === 2, 'the other messages')
        assert.deepEqual(
          (await deadLetters()).map(({ ref }) => ref),
          [widget('poisoned')],
        )
      }),
    )

    test(
      'runs no more concurrent handlers than configured, in total and per group',
      within(async ({ queue }) => {
        const running = new Map<string, number>()
        const most = { all: 0, group: 0 }
        let done = 0
        const { promise: sideBySide, resolve: met } = Promise.withResolvers<void>()
        queue.consume('apply', { concurrency: 5, perGroup: 2 }, async ({ group }) => {
          running.set(group!, (running.get(group!) ?? 0) + 1)
          most.group = Math.max(most.group, running.get(group!)!)
          most.all = Math.max(
            most.all,
            [...running.values()].reduce((sum, count) => sum + count, 0),
          )
          if (most.all >= 2) met()
          await Promise.race([sideBySide, pause(times.patienceMs)])
          await pause(3)
          running.set(group!, running.get(group!)! - 1)
          done += 1
        })
        await queue.send(Array.from({ length: 30 }, (_, i) => message(`m${i}`, `g${i % 4}`)))
        await until(() => done >= 30, 'all messages')
        assert.ok(most.all <= 5 && most.group <= 2, JSON.stringify(most))
        assert.ok(most.all >= 2, 'handlers run side by side')
      }),
    )

    test(
      'lets a quiet group pass a noisy one',
      { skip: times.fair ? false : 'this platform has no fair queues' },
      within(async ({ queue }) => {
        const seen: string[] = []
        await queue.send(Array.from({ length: 200 }, (_, i) => message(`noisy${i}`, 'noisy')))
        await queue.send([message('quiet', 'quiet')])
        queue.consume('apply', { concurrency: 2 }, async ({ group }) => {
          await pause(1)
          seen.push(group!)
        })
        await until(() => seen.includes('quiet'), 'the quiet message')
        assert.ok(seen.indexOf('quiet') < 50, `${seen.indexOf('quiet')} noisy messages went first`)
      }),
    )

    test(
      'lets running handlers end before it closes, and starts none after',
      within(async ({ queue }) => {
        let ended = 0
        let started = 0
        const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
        const subscription = queue.consume('apply', { concurrency: 1 }, async () => {
          started += 1
          await mayEnd
          ended += 1
        })
        await queue.send([message('a'), message('b')])
        await until(() => started === 1, 'the first handler')
        const closed = subscription.close()
        end()
        await closed
        assert.deepEqual([started, ended], [1, 1])
        await pause(20)
        assert.equal(started, 1)
      }),
    )

    test(
      'hands what is left to the next consumer',
      within(async ({ queue }) => {
        const first = queue.consume('apply', { concurrency: 1 }, async () => pause(5))
        await queue.send(Array.from({ length: 5 }, (_, i) => message(`m${i}`)))
        await first.close()
        const seen = new Set<string>()
        queue.consume('apply', { concurrency: 1 }, async ({ ref }) => void seen.add(ref.name))
        await queue.send([message('last')])
        await until(() => seen.has('last') && seen.size >= 4, 'the messages that were left')
      }),
    )
  })
}

const pause = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
