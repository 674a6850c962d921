import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads'
import type { Asking, OffThreadTasks } from '../../ports/off-thread.ts'
import { type OutcomeMessage, type Question, receivedError, type StartMessage, sentError } from './thread-messages.ts'

/** The worker's side of the pool: runs the tasks that it receives, one at a time. */
export const serveTasks = (tasks: OffThreadTasks): void => {
  yieldToOtherThreads()
  parentPort!.on('message', async (start: StartMessage) => {
    const outcome = await outcomeOf(tasks, start)
    start.answers.close()
    start.promises.close()
    parentPort!.postMessage(outcome)
  })
}

/** Builds can wait, API requests can't: if both need the same processor, the main thread gets most of it. */
const niceness = 5

/** Linux has a priority per thread, identified by number; elsewhere workers have the main thread's priority. */
const yieldToOtherThreads = (): void => {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), Math.max(getPriority(), niceness))
  } catch {
    // No /proc, or no permission to change the priority: the worker keeps its own.
  }
}

const outcomeOf = async (tasks: OffThreadTasks, start: StartMessage): Promise<OutcomeMessage> => {
  const task = tasks[start.name] as ((input: unknown, asking: Asking) => unknown) | undefined
  try {
    if (!task) throw new TypeError(`unknown task ${start.name}`)
    return { id: 0, value: await task(start.input, { ask: askerOf(start), askLater: laterAskerOf(start.promises) }) }
  } catch (error) {
    return { id: 0, error: sentError(error) }
  }
}

/** File trees are read synchronously, so the whole thread waits for the answer. */
const askerOf = ({ answers, answered }: StartMessage): Asking['ask'] => {
  const flag = new Int32Array(answered)
  return (question, ...args) => {
    Atomics.store(flag, 0, 0)
    answers.postMessage({ id: 0, question, args } satisfies Question)
    // The notification of an earlier answer may arrive only now, so only the flag counts.
    while (Atomics.load(flag, 0) === 0) Atomics.wait(flag, 0, 0)
    return answerIn((receiveMessageOnPort(answers) as { readonly message: OutcomeMessage }).message)
  }
}

const laterAskerOf = (port: MessagePort): Asking['askLater'] => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let questions = 0
  port.on('message', (outcome: OutcomeMessage) => {
    const { resolve, reject } = waiting.get(outcome.id)!
    waiting.delete(outcome.id)
    if (outcome.error) reject(receivedError(outcome.error))
    else resolve(outcome.value)
  })
  return (question, ...args) => {
    const id = ++questions
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    port.postMessage({ id, question, args } satisfies Question)
    return answer.promise
  }
}

const answerIn = (outcome: OutcomeMessage): unknown => {
  if (outcome.error) throw receivedError(outcome.error)
  return outcome.value
}
