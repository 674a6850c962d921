import { readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { basename } from 'node:path'
import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads'
import type { Caller, OffThreadTasks } from '../../ports/off-thread.ts'
import {
  type CallMessage,
  deserializedError,
  type OutcomeMessage,
  type StartMessage,
  serializedError,
} from './thread-messages.ts'

/** The worker's side of the pool: runs the tasks that it receives, one at a time. */
export const serveTasks = (tasks: OffThreadTasks): void => {
  lowerPriority()
  parentPort!.on('message', async (start: StartMessage) => {
    const outcome = await outcomeOf(tasks, start)
    start.syncCalls.close()
    start.asyncCalls.close()
    parentPort!.postMessage(outcome)
  })
}

/** Builds can wait, API requests can't: if both need the same processor, the main thread gets most of it. */
const niceness = 5

/** Linux has a priority per thread, identified by number; elsewhere workers have the main thread's priority. */
const lowerPriority = (): void => {
  if (process.platform !== 'linux') return
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), Math.max(getPriority(), niceness))
  } catch {
    // No /proc, or no permission to change the priority: the worker keeps its own.
  }
}

const outcomeOf = async (tasks: OffThreadTasks, start: StartMessage): Promise<OutcomeMessage> => {
  const task = tasks[start.name] as ((input: unknown, caller: Caller) => unknown) | undefined
  try {
    if (!task) throw new TypeError(`unknown task ${start.name}`)
    return {
      id: 0,
      value: await task(start.input, { callSync: syncCallerOf(start), callAsync: asyncCallerOf(start.asyncCalls) }),
    }
  } catch (error) {
    return { id: 0, error: serializedError(error) }
  }
}

/** File trees are read synchronously, so the whole thread waits for the result. */
const syncCallerOf = ({ syncCalls, responded }: StartMessage): Caller['callSync'] => {
  const flag = new Int32Array(responded)
  return (method, ...args) => {
    Atomics.store(flag, 0, 0)
    syncCalls.postMessage({ id: 0, method, args } satisfies CallMessage)
    // The notification of an earlier result may arrive only now, so only the flag counts.
    while (Atomics.load(flag, 0) === 0) Atomics.wait(flag, 0, 0)
    return resultOf((receiveMessageOnPort(syncCalls) as { readonly message: OutcomeMessage }).message)
  }
}

const asyncCallerOf = (port: MessagePort): Caller['callAsync'] => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0
  port.on('message', (outcome: OutcomeMessage) => {
    const { resolve, reject } = waiting.get(outcome.id)!
    waiting.delete(outcome.id)
    if (outcome.error) reject(deserializedError(outcome.error))
    else resolve(outcome.value)
  })
  return (method, ...args) => {
    const id = ++lastId
    const result = Promise.withResolvers<unknown>()
    waiting.set(id, result)
    port.postMessage({ id, method, args } satisfies CallMessage)
    return result.promise
  }
}

const resultOf = (outcome: OutcomeMessage): unknown => {
  if (outcome.error) throw deserializedError(outcome.error)
  return outcome.value
}
