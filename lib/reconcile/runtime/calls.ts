import { type ObjectRef, refKey } from '../../foundations/kinds/object.ts'
import { chunks } from '../../foundations/rules/chunks.ts'
import type { Delayed, Message, Stage } from '../../platform/ports/queue.ts'
import type { DueObject } from '../../platform/ports/schedule.ts'
import { stageOfVisit, visitRef } from '../../platform/ports/visits.ts'
import type { Addressing } from './addressing.ts'

/** The maximum number of objects in one message, which holds 256 KB. */
const maxRefs = 100

/**
 * Builds the messages for due objects after their due times were postponed to `later`: one per visit, listing the objects of its group that
 * are due on their own, and one per object of a kind that is not visited.
 */
export const callsFor = async (
  due: readonly DueObject[],
  later: number,
  delayOf: (due: number) => number,
  { messageTo, visitTo }: Pick<Addressing, 'messageTo' | 'visitTo'>,
): Promise<readonly Delayed<Message>[]> => {
  const single: Delayed<Message>[] = []
  const visits = new Map<string, Call>()
  const callOf = (stage: Stage, group: string, delayMs: number): Call => {
    const ref = visitRef(stage, group)
    const call = visits.get(refKey(ref)) ?? { stage, ref, group, delayMs, refs: [] }
    visits.set(refKey(ref), call)
    call.delayMs = Math.min(call.delayMs, delayMs)
    return call
  }
  for (const { ref, due: at, group } of due) {
    const delayMs = delayOf(at)
    const stage = stageOfVisit(ref)
    const message = stage ? undefined : await messageTo(ref, group)
    const visit = message && (await visitTo(ref, message.group))
    if (stage) callOf(stage, ref.name, delayMs)
    else if (visit !== undefined) callOf(message!.stage, visit, delayMs).refs.push(ref)
    else if (message) single.push({ ...message, delayMs })
  }
  return [...single, ...[...visits.values()].flatMap(call => messagesOf(call, later))]
}

interface Call {
  readonly stage: Stage
  readonly ref: ObjectRef
  readonly group: string
  delayMs: number
  readonly refs: ObjectRef[]
}

const messagesOf = ({ refs, ...visit }: Call, later: number): readonly Delayed<Message>[] =>
  refs.length === 0 ? [visit] : chunks(refs, maxRefs).map(chunk => ({ ...visit, dueAt: later, refs: chunk }))
