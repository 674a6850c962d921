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
import { type DelayLine, delayLine } from './delay-line.ts'
import { type FairLine, fairLine, type Place } from './fair-line.ts'

export interface InProcessQueue extends Queue, QueueConsumer {
  /** Messages that failed too often, the latest last. */
  setAside(): readonly SetAside[]
  /** Number of messages per stage that are ready but not taken yet; delayed ones do not count. */
  waiting(): Readonly<Partial<Record<Stage, number>>>
  /** Drops waiting messages; resolves when the running handlers have ended. */
  close(): Promise<void>
}

export interface SetAside {
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
  readonly onFailure?: (failure: SetAside & { readonly again: boolean }) => void
}

const maxRetryMs = 5 * 60_000
const keptAside = 1000

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

interface Line {
  readonly waiting: Map<string, Entry>
  readonly running: Map<string, Promise<void>>
  readonly ready: FairLine<Entry>
  readonly delayed: DelayLine<Entry>
  consumer: { readonly options: ConsumeOptions; readonly handle: (message: Message) => Promise<void> } | undefined
}

/** The queue of one process. Its messages are lost when the process ends: the due index finds their objects again. */
export function inProcessQueue(options: InProcessQueueOptions): InProcessQueue {
  const { clock, random, maxDeliveries = 5, firstRetryMs = 1000, onFailure } = options
  const lines = new Map<Stage, Line>()
  const aside: SetAside[] = []
  let closed = false

  return {
    send: async messages => {
      if (closed) return
      for (const message of messages) enqueue(message)
    },
    consume,
    setAside: () => aside,
    waiting: () =>
      Object.fromEntries(
        lines
          .entries()
          .map(([stage, { waiting }]) => [
            stage,
            [...waiting.values()].filter(({ state }) => state !== 'delayed').length,
          ]),
      ),
    close: async () => {
      closed = true
      for (const line of lines.values()) {
        line.consumer = undefined
        line.delayed.close()
        line.waiting.clear()
      }
      await Promise.all([...lines.values()].flatMap(line => [...line.running.values()]))
    },
  }

  function lineOf(stage: Stage): Line {
    const known = lines.get(stage)
    if (known) return known
    const line: Line = {
      waiting: new Map(),
      running: new Map(),
      ready: fairLine(),
      delayed: delayLine(clock, entry => onTime(line, entry)),
      consumer: undefined,
    }
    lines.set(stage, line)
    return line
  }

  function enqueue({ delayMs = 0, ...message }: Delayed<Message>): void {
    if (delayMs > maxDelayMs)
      throw new RangeError(`a message can be delayed by at most ${maxDelayMs} ms, not ${delayMs}`)
    const line = lineOf(message.stage)
    const key = refKey(message.ref)
    const readyAt = clock.monotonic() + Math.max(delayMs, 0)
    const waiting = line.waiting.get(key)
    if (!waiting) {
      schedule(line, { message, key, readyAt, deliveries: 0, state: 'delayed' })
      return
    }
    waiting.message = ofTwo(waiting.message, message)
    if (readyAt < waiting.readyAt) {
      waiting.readyAt = readyAt
      if (waiting.state === 'delayed') line.delayed.add(waiting, readyAt)
    }
  }

  function schedule(line: Line, entry: Entry): void {
    line.waiting.set(entry.key, entry)
    line.delayed.add(entry, entry.readyAt)
  }

  /** An entry may leave the delay line more than once, if it was sent again for an earlier time. */
  function onTime(line: Line, entry: Entry): void {
    if (entry.state !== 'delayed' || line.waiting.get(entry.key) !== entry) return
    if (line.running.has(entry.key)) {
      entry.state = 'late'
      return
    }
    entry.state = 'ready'
    line.ready.add(entry, placeOf(entry.message))
    work(line)
  }

  function work(line: Line): void {
    for (;;) {
      if (!line.consumer) return
      const { concurrency, spare = 0, perGroup = Number.POSITIVE_INFINITY } = line.consumer.options
      if (line.running.size >= concurrency + spare) return
      const perTenant = line.running.size < concurrency ? Number.POSITIVE_INFINITY : spare
      const entry = line.ready.take({ perTenant, perGroup })
      if (!entry) return
      line.waiting.delete(entry.key)
      line.running.set(entry.key, deliver(line, entry, line.consumer.handle))
    }
  }

  async function deliver(line: Line, entry: Entry, handle: (message: Message) => Promise<void>): Promise<void> {
    const deliveries = entry.deliveries + 1
    try {
      // In a tick of its own, so that the sender is not on the handler's stack.
      await null
      await handle(entry.message)
    } catch (error) {
      fail(line, { ...entry, deliveries }, error)
    }
    line.running.delete(entry.key)
    line.ready.done(placeOf(entry.message))
    const late = line.waiting.get(entry.key)
    if (late?.state === 'late') {
      late.state = 'delayed'
      onTime(line, late)
    }
    work(line)
  }

  function fail(line: Line, entry: Entry, error: unknown): void {
    const { message, deliveries } = entry
    const again = deliveries < maxDeliveries
    onFailure?.({ message, error, deliveries, again })
    if (closed) return
    if (!again) {
      aside.push({ message, error, deliveries })
      if (aside.length > keptAside) aside.shift()
      return
    }
    const waiting = line.waiting.get(entry.key)
    if (waiting) {
      waiting.deliveries = Math.max(waiting.deliveries, deliveries)
      return
    }
    const backOff = Math.min(firstRetryMs * 2 ** (deliveries - 1), maxRetryMs)
    schedule(line, {
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
    const line = lineOf(stage)
    if (line.consumer) throw new Error(`the ${stage} queue already has a consumer`)
    const consumer = { options: consumeOptions, handle }
    line.consumer = consumer
    work(line)
    return {
      close: async () => {
        if (line.consumer === consumer) line.consumer = undefined
        await Promise.all(line.running.values())
      },
    }
  }
}

/** A tenant is a namespace. */
const placeOf = ({ ref, group = '' }: Message): Place => ({ tenant: ref.namespace, group })

/**
 * Merges two messages: one without `dueAt` must be delivered in any case, and of two with `dueAt` only the later one can be current. A visit is
 * called for the objects of both; objects that were postponed to another time come by themselves.
 */
const ofTwo = (before: Message, after: Message): Message => {
  if (before.refs && after.refs && before.dueAt === after.dueAt)
    return { ...after, refs: [...before.refs, ...after.refs] }
  if (before.refs || after.refs) return before.refs ? before : after
  return before.dueAt === undefined ? before : after
}
