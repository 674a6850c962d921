import type { ObjectRef } from '../../foundations/kinds/object.ts'

/** The stages of work. Each has a queue of its own, so that slow clusters never delay fetches. */
export const stages = ['source', 'build', 'apply', 'helmrelease', 'resourceset', 'notify'] as const
export type Stage = (typeof stages)[number]

/** A hint to reconcile an object. It carries no state: lost, late, duplicate and reordered hints are harmless. */
export interface Message {
  readonly stage: Stage
  readonly ref: ObjectRef
  /** Fairness group, usually the target cluster: a noisy group must not starve a quiet one. */
  readonly group?: string
  /**
   * The message is for the pass that is due at this time (ms since the epoch) and no other: if the object's due time has changed, another pass has
   * handled it. Absent = reconcile in any case.
   */
  readonly dueAt?: number
  /**
   * The object is a member of a visit, which checks it within minutes if this message is lost. It therefore has no due time of its own, unless it
   * has been given one since.
   */
  readonly visited?: true
  /**
   * The pass may end its process, as an earlier one did. Where the platform hands several messages to one process, it runs while no other pass does
   * that would end with it.
   */
  readonly alone?: true
  /** Set by the platform, not by the sender: the message has been delivered several times, and no receiver finished. */
  readonly unfinished?: true
  /**
   * For a visit (see ports/visits.ts): objects to check together with its members. For any other object: some of its dependents, to enqueue because
   * it has changed.
   */
  readonly refs?: readonly ObjectRef[]
}

export interface Queue {
  /** Messages outlive the process that sent them, so work may be handed over in them. Absent = they may not. */
  readonly isDurable?: true
  /**
   * Delivers at least once, in no particular order. Waiting messages for one object in one stage may be delivered as one, at the earliest of their
   * times; one without `dueAt` is never merged into one with it. Waiting messages may be lost with a process: the due index finds their objects.
   */
  send(messages: readonly Delayed<Message>[]): Promise<void>
}

/** Maximum delay of a message, an SQS limit; longer waits are due times (see Schedule). */
export const maxDelayMs = 15 * 60 * 1000

/** `delayMs` is at most `maxDelayMs`; a platform may round it up to whole seconds. */
export type Delayed<T> = T & { readonly delayMs?: number }

/**
 * The receiving end in our own process (on AWS the platform invokes a function instead). A message whose handler throws is delivered again later,
 * and dropped to the dead letters after a configured number of deliveries.
 */
export interface QueueConsumer {
  consume(stage: Stage, options: ConsumeOptions, handle: (message: Message) => Promise<void>): Subscription
}

export interface ConsumeOptions {
  readonly concurrency: number
  /**
   * Additional messages that may run, from namespaces with fewer than this many running. A tenant that occupies all of `concurrency`, for however
   * long, thus does not block newcomers.
   */
  readonly spare?: number
  /** Maximum number of running messages per group. */
  readonly perGroup?: number
}

export interface Subscription {
  /** Stops taking messages; resolves when the running handlers have ended. */
  close(): Promise<void>
}
