import { refKey } from '../../foundations/kinds/object.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import type { DueObject, Schedule } from '../../platform/ports/schedule.ts'
import { stageOfVisit } from '../../platform/ports/visits.ts'
import type { Addressing } from './addressing.ts'
import { callsFor } from './calls.ts'
import { lostAfterMs } from './lost-messages.ts'

export interface DueWork {
  /** Enqueues what is due up to `horizon` (ms since the epoch), each with the delay for its due time (ms). */
  enqueue(horizon: number, delayOf: (due: number) => number): Promise<void>
  /** Forgets which messages were sent: they may have been lost. */
  forgetSent(): void
}

interface DueWorkPorts {
  readonly schedule: Schedule
  readonly queue: Queue
  readonly clock: Clock
}

/**
 * Sends the messages for what is due. Objects are postponed first, which makes sure that lost messages are sent again. A visit is not: it
 * postpones itself when it ends, so this process only remembers for some minutes that its message was sent. Another process, which does not
 * know, sends it again, and the second visit finds nothing due.
 */
export const createDueWork = (
  { schedule, queue, clock }: DueWorkPorts,
  addressing: Addressing,
  tickMs: number,
): DueWork => {
  const sent = new Map<string, Sent>()

  const isUnderWay = ({ ref, due }: DueObject): boolean => sent.get(refKey(ref))?.due === due

  const enqueue = async (horizon: number, delayOf: (due: number) => number): Promise<void> => {
    const seen = new Set<string>()
    for (const [key, { lostAt }] of sent) if (lostAt <= clock.now()) sent.delete(key)
    for await (const page of schedule.pagesDueBy(horizon, pageSize)) {
      // An object that was postponed and is due again within the horizon has a message of its own.
      const due = page.filter(({ ref, due }) => isFirst(seen, `${refKey(ref)}|${due}`))
      const [visits, objects] = partition(due, ({ ref }) => stageOfVisit(ref) !== undefined)
      const unsent = visits.filter(visit => !isUnderWay(visit))
      // Postpone first, then send: a pass that ends in between must keep its own due time.
      const later = Math.round(Math.max(clock.now() + tickMs + lostAfterMs, horizon + 1))
      await Promise.all(
        objects.map(({ ref, due }) => schedule.setDue(ref, addressing.has(ref) ? later : undefined, { dueSeen: due })),
      )
      await queue.send(await callsFor([...objects, ...unsent], later, delayOf, addressing))
      for (const { ref, due } of unsent) sent.set(refKey(ref), { due, lostAt: later })
    }
  }

  return { enqueue, forgetSent: () => sent.clear() }
}

/** The message of a visit. */
interface Sent {
  readonly due: number
  /** When it counts as lost, in milliseconds since the epoch. */
  readonly lostAt: number
}

const isFirst = (seen: Set<string>, key: string): boolean => seen.size !== seen.add(key).size

const partition = <T>(all: readonly T[], isIn: (each: T) => boolean): readonly [readonly T[], readonly T[]] => [
  all.filter(isIn),
  all.filter(each => !isIn(each)),
]

const pageSize = 500
