import type { ObjectRef } from '../kinds/object.ts'

/** The stages of work; each has a queue of its own, so that slow clusters never hold up fetching. */
export type Stage = 'source' | 'build' | 'apply' | 'resourceset' | 'notify'

/** A hint to look at an object. It carries no state: lost, late, doubled and reordered hints are harmless. */
export interface Message {
  readonly stage: Stage
  readonly ref: ObjectRef
  /** Fairness group, usually the target cluster: a noisy group must not starve a quiet one. */
  readonly group?: string
}

export interface Queue {
  /** At least once. Messages for one object in one stage that wait together may be delivered as one. */
  send(messages: readonly Delayed<Message>[]): Promise<void>
}

/** `delayMs` is at most 15 minutes (an SQS limit); longer waits are due times (see Schedule). */
export type Delayed<T> = T & { readonly delayMs?: number }

/** The receiving end. A handler that throws gets the message again, later; after `maxDeliveries` it is set aside. */
export interface QueueConsumer {
  consume(stage: Stage, options: ConsumeOptions, handle: (message: Message) => Promise<void>): Subscription
}

export interface ConsumeOptions {
  readonly concurrency: number
  /** At most this many messages of one group at a time. */
  readonly perGroup?: number
}

export interface Subscription {
  /** Takes no further messages and resolves when the running handlers have ended. */
  close(): Promise<void>
}
