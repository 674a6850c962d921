import type { ObjectRef } from '../../foundations/kinds/object.ts'

/** The stages of work; each has a queue of its own, so that slow clusters never hold up fetching. */
export const stages = ['source', 'build', 'apply', 'helmrelease', 'resourceset', 'notify'] as const
export type Stage = (typeof stages)[number]

/** A hint to look at an object. It carries no state: lost, late, doubled and reordered hints are harmless. */
export interface Message {
  readonly stage: Stage
  readonly ref: ObjectRef
  /** Fairness group, usually the target cluster: a noisy group must not starve a quiet one. */
  readonly group?: string
  /**
   * The message brings the pass that is due at this time (ms since the epoch), and no other: once the object is due at another time,
   * somebody else has seen to it. Absent = a look is wanted at any rate.
   */
  readonly dueAt?: number
  /**
   * The object is a member of a visit, which looks at it within minutes should this message get lost: it needs no due time of its own for
   * that, and has none unless it was given one since.
   */
  readonly visited?: true
  /**
   * The pass may end its process, as one before it did: it runs when nothing else does that would end along with it, where the platform hands
   * several messages to a process at a time.
   */
  readonly alone?: true
  /** Set by the platform, not sent: the message has come several times, and whoever had it never finished. */
  readonly unfinished?: true
  /**
   * Of a visit (see ports/visits.ts): objects that are to be looked at with its members. Of any other object, which has news: dependents that
   * are to be enqueued, a part of them all.
   */
  readonly refs?: readonly ObjectRef[]
}

export interface Queue {
  /** Messages outlive the process that sent them: work may be handed on by them. Absent = they may not. */
  readonly isDurable?: true
  /**
   * At least once, in no particular order. Messages for one object in one stage that wait together may be delivered as
   * one, at the earliest of their times; one without `dueAt` is never lost to one with it. A process that dies may take its waiting messages along: the due index is the net.
   */
  send(messages: readonly Delayed<Message>[]): Promise<void>
}

/** The longest delay of a message (an SQS limit); longer waits are due times (see Schedule). */
export const maxDelayMs = 15 * 60 * 1000

/** `delayMs` is at most `maxDelayMs`; a platform may round it up to whole seconds. */
export type Delayed<T> = T & { readonly delayMs?: number }

/**
 * The receiving end in a process of our own (on AWS the platform calls a function instead). A handler that throws gets
 * the message again, later; after a number of deliveries that the platform is configured with, it is set aside.
 */
export interface QueueConsumer {
  consume(stage: Stage, options: ConsumeOptions, handle: (message: Message) => Promise<void>): Subscription
}

export interface ConsumeOptions {
  readonly concurrency: number
  /**
   * Messages that may run beyond that, of namespaces that have fewer than as many running: so whoever has all the others busy, and for
   * however long, keeps none waiting who has just come.
   */
  readonly spare?: number
  /** At most this many messages of one group at a time. */
  readonly perGroup?: number
}

export interface Subscription {
  /** Takes no further messages and resolves when the running handlers have ended. */
  close(): Promise<void>
}
