import { refKey } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import {
  type ConsumeOptions,
  type Delayed,
  type Message,
  maxDelayMs,
  type Queue,
  type QueueConsumer,
  type Stage,
  type Subscription,
} from '../../ports/queue.ts'
import type { Random } from '../../ports/random.ts'
import { type DelayQueue, delayQueue } from './delay-queue.ts'
import { type FairnessKey, type FairQueue, fairQueue } from './fair-queue.ts'

export interface InProcessQueue extends Queue, QueueConsumer {
  /** Messages that failed too often, the latest last. */
  deadLetters(): readonly DeadLetter[]
  /** Number of messages per stage that are ready but not taken yet; delayed ones do not count. */
  waiting(): Readonly<Partial<Record<Stage, number>>>
  /** Drops waiting messages; resolves when the running handlers have ended. */
  close(): Promise<void>
}

export interface DeadLetter {
  readonly message: Message
  readonly error: unknown
  readonly deliveries: number
}

export interface InProcessQueueOptions {
  readonly clock: Clock
  readonly random: Random
  readonly maxDeliveries?: number
  /** Delay of the second delivery; doubles with each further one, up to five minutes. */
  readonly firstRetryMs?: number
  /** Called with every failed delivery, for the log. */
  readonly onFailure?: (failure: DeadLetter & { readonly willRetry: boolean }) => void
}

const maxRetryMs = 5 * 60_000
const maxDeadLetters = 1000

/** The message for one object in one stage. */
interface Entry {
  message: Message
  readonly key: string
  /** On the monotonic clock. */
  readyAt: number
  deliveries: number
  /** `late`: sent while its object's handler runs; waits for that to end. */
  state: 'delayed' | 'ready' | 'late'
}

interface StageQueue {
  readonly waiting: Map<string, Entry>
  readonly running: Map<string, Promise<void>>
  readonly ready: FairQueue<Entry>
  readonly delayed: DelayQueue<Entry>
  consumer: { readonly options: ConsumeOptions; readonly handle: (message: Message) => Promise<void> } | undefined
}

/** The queue of one process. Its messages are lost when the process ends: the due index still has their objects. */
export function inProcessQueue(options: InProcessQueueOptions): InProcessQueue {
  const { clock, random, maxDeliveries = 5, firstRetryMs = 1000, onFailure } = options
  const queues = new Map<Stage, StageQueue>()
  const dead: DeadLetter[] = []
  let closed = false

  return {
    send: async messages => {
      if (closed) return
      for (const message of messages) enqueue(message)
    },
    consume,
    deadLetters: () => dead,
    waiting: () =>
      Object.fromEntries(
        queues
          .entries()
          .map(([stage, { waiting }]) => [
            stage,
            [...waiting.values()].filter(({ state }) => state !== 'delayed').length,
          ]),
      ),
    close: async () => {
      closed = true
      for (const queue of queues.values()) {
        queue.consumer = undefined
        queue.delayed.close()
        queue.waiting.clear()
      }
      await Promise.all([...queues.values()].flatMap(queue => [...queue.running.values()]))
    },
  }

  function queueOf(stage: Stage): StageQueue {
    const known = queues.get(stage)
    if (known) return known
    const queue: StageQueue = {
      waiting: new Map(),
      running: new Map(),
      ready: fairQueue(),
      delayed: delayQueue(clock, entry => onDue(queue, entry)),
      consumer: undefined,
    }
    queues.set(stage, queue)
    return queue
  }

  function enqueue({ delayMs = 0, ...message }: Delayed<Message>): void {
    if (delayMs > maxDelayMs)
      throw new RangeError(`a message can be delayed by at most ${maxDelayMs} ms, not ${delayMs}`)
    const queue = queueOf(message.stage)
    const key = refKey(message.ref)
    const readyAt = clock.monotonic() + Math.max(delayMs, 0)
    const waiting = queue.waiting.get(key)
    if (!waiting) {
      schedule(queue, { message, key, readyAt, deliveries: 0, state: 'delayed' })
      return
    }
    waiting.message = merged(waiting.message, message)
    if (readyAt < waiting.readyAt) {
      waiting.readyAt = readyAt
      if (waiting.state === 'delayed') queue.delayed.add(waiting, readyAt)
    }
  }

  function schedule(queue: StageQueue, entry: Entry): void {
    queue.waiting.set(entry.key, entry)
    queue.delayed.add(entry, entry.readyAt)
  }

  /** The delay queue may deliver an entry more than once, if it was sent again for an earlier time. */
  function onDue(queue: StageQueue, entry: Entry): void {
    if (entry.state !== 'delayed' || queue.waiting.get(entry.key) !== entry) return
    if (queue.running.has(entry.key)) {
      entry.state = 'late'
      return
    }
    entry.state = 'ready'
    queue.ready.add(entry, fairnessKeyOf(entry.message))
    work(queue)
  }

  function work(queue: StageQueue): void {
    for (;;) {
      if (!queue.consumer) return
      const { concurrency, spare = 0, perGroup = Number.POSITIVE_INFINITY } = queue.consumer.options
      if (queue.running.size >= concurrency + spare) return
      const perTenant = queue.running.size < concurrency ? Number.POSITIVE_INFINITY : spare
      const entry = queue.ready.take({ perTenant, perGroup })
      if (!entry) return
      queue.waiting.delete(entry.key)
      queue.running.set(entry.key, deliver(queue, entry, queue.consumer.handle))
    }
  }

  async function deliver(queue: StageQueue, entry: Entry, handle: (message: Message) => Promise<void>): Promise<void> {
    const deliveries = entry.deliveries + 1
    try {
      // In its own tick, so that the sender is not on the handler's stack.
      await null
      await handle(entry.message)
    } catch (error) {
      fail(queue, { ...entry, deliveries }, error)
    }
    queue.running.delete(entry.key)
    queue.ready.done(fairnessKeyOf(entry.message))
    const late = queue.waiting.get(entry.key)
    if (late?.state === 'late') {
      late.state = 'delayed'
      onDue(queue, late)
    }
    work(queue)
  }

  function fail(queue: StageQueue, entry: Entry, error: unknown): void {
    const { message, deliveries } = entry
    const willRetry = deliveries < maxDeliveries
    onFailure?.({ message, error, deliveries, willRetry: willRetry })
    if (closed) return
    if (!willRetry) {
      dead.push({ message, error, deliveries })
      if (dead.length > maxDeadLetters) dead.shift()
      return
    }
    const waiting = queue.waiting.get(entry.key)
    if (waiting) {
      waiting.deliveries = Math.max(waiting.deliveries, deliveries)
      return
    }
    const backOff = Math.min(firstRetryMs * 2 ** (deliveries - 1), maxRetryMs)
    schedule(queue, {
      message,
      key: entry.key,
      readyAt: clock.monotonic() + backOff * (0.75 + random.fraction() / 2),
      deliveries,
      state: 'delayed',
    })
  }

  function consume(
    stage: Stage,
    consumeOptions: ConsumeOptions,
    handle: (message: Message) => Promise<void>,
  ): Subscription {
    const queue = queueOf(stage)
    if (queue.consumer) throw new Error(`the ${stage} queue already has a consumer`)
    const consumer = { options: consumeOptions, handle }
    queue.consumer = consumer
    work(queue)
    return {
      close: async () => {
        if (queue.consumer === consumer) queue.consumer = undefined
        await Promise.all(queue.running.values())
      },
    }
  }
}

/** A tenant is a namespace. */
const fairnessKeyOf = ({ ref, group = '' }: Message): FairnessKey => ({ tenant: ref.namespace, group })

/**
 * Merges two messages: one without `dueAt` must be delivered in any case, and of two with `dueAt` only the later one can be current. A visit is
 * called for the objects of both; objects that were postponed to another time come by themselves.
 */
const merged = (before: Message, after: Message): Message => {
  if (before.refs && after.refs && before.dueAt === after.dueAt)
    return { ...after, refs: [...before.refs, ...after.refs] }
  if (before.refs || after.refs) return before.refs ? before : after
  return before.dueAt === undefined ? before : after
}
