import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { Answers, OffThread, OffThreadOptions, OffThreadTask } from '../../ports/off-thread.ts'
import { fairLine, type Place } from './fair-line.ts'
import {
  type OutcomeMessage,
  type Question,
  receivedError,
  type StartMessage,
  sentError,
  sentValue,
} from './thread-messages.ts'

export interface WorkerPoolOptions {
  /** The module that workers run: it calls `serveTasks`. */
  readonly entry: URL
  /** Maximum number of workers. */
  readonly size: number
  /** Processor time limit of a task, in seconds. */
  readonly seconds: number
  /** Heap limit of a task, in MiB. */
  readonly megabytes: number
  /** How long an idle worker is kept, in milliseconds. */
  readonly idleMs?: number
}

export interface WorkerPool extends OffThread {
  /** Terminates all workers; their tasks fail. */
  close(): Promise<void>
}

/** How often a worker's processor time is checked. */
const watchMs = 250
const defaultIdleMs = 30_000
/** Maximum heap of an idle worker in bytes: V8 returns little memory, and a small build fits. */
const maxIdleHeap = 96 * 1024 * 1024

interface Waiting {
  readonly task: OffThreadTask
  readonly options: OffThreadOptions
  readonly done: PromiseWithResolvers<unknown>
}

/**
 * Starts workers on demand. A worker that takes too much time or memory is terminated, its task fails with BudgetExceeded, and the next task gets a
 * new worker. Groups take turns.
 */
export const workerPool = ({
  entry,
  size,
  seconds,
  megabytes,
  idleMs = defaultIdleMs,
}: WorkerPoolOptions): WorkerPool => {
  const line = fairLine<Waiting>()
  const idle = new Map<Worker, NodeJS.Timeout>()
  const all = new Set<Worker>()
  let busy = 0

  const started = (): Worker => {
    const worker = new Worker(entry, {
      // Builds get nothing of this process's environment.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: megabytes },
    })
    all.add(worker)
    worker.once('exit', () => {
      all.delete(worker)
      clearTimeout(idle.get(worker))
      idle.delete(worker)
    })
    // A task's own listener reports errors. Errors without a task are ignored: the next task gets another worker.
    worker.on('error', () => {})
    return worker
  }

  const taken = (): Worker => {
    const [known] = idle
    if (!known) return started()
    const [worker, timer] = known
    clearTimeout(timer)
    idle.delete(worker)
    worker.ref()
    return worker
  }

  const putBack = (worker: Worker): void => {
    if (!all.has(worker)) return
    worker.unref()
    idle.set(worker, setTimeout(() => end(worker), idleMs).unref())
    void endIfLarge(worker)
  }

  const end = (worker: Worker): void => {
    clearTimeout(idle.get(worker))
    idle.delete(worker)
    void worker.terminate()
  }

  /** Terminates an idle worker whose last task left a large heap, to return the memory. */
  const endIfLarge = async (worker: Worker): Promise<void> => {
    const heap = await worker.getHeapStatistics().catch(() => undefined)
    if (heap && heap.total_heap_size > maxIdleHeap && idle.has(worker)) end(worker)
  }

  const next = (): void => {
    while (busy < size) {
      const waiting = line.take({ perTenant: size, perGroup: size })
      if (!waiting) return
      busy++
      doTask(taken(), waiting)
        .then(
          ({ worker, value }) => {
            putBack(worker)
            waiting.done.resolve(value)
          },
          ({ worker, error }: Failed) => {
            putBack(worker)
            waiting.done.reject(error)
          },
        )
        .finally(() => {
          busy--
          line.done(placeOf(waiting.options))
          next()
        })
    }
  }

  const doTask = async (worker: Worker, { task, options: { signal } }: Waiting): Promise<Finished> => {
    const ended = Promise.withResolvers<unknown>()
    const give = (reason: unknown): void => {
      ended.reject(reason)
      all.delete(worker)
      void worker.terminate()
    }
    const onAbort = (): void => give(signal!.reason)
    const onError = (error: Error & { readonly code?: string }): void =>
      give(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new BudgetExceeded('megabytes', megabytes, megabytes) : error)
    const onExit = (code: number): void => give(new Error(`the worker ended with code ${code}`))
    const onMessage = (outcome: OutcomeMessage): void =>
      outcome.error ? ended.reject(receivedError(outcome.error)) : ended.resolve(outcome.value)
    const channels = openChannels(task)
    signal?.addEventListener('abort', onAbort)
    worker.on('error', onError).on('exit', onExit).on('message', onMessage)
    const watch = watchProcessor(worker, seconds, () => give(new BudgetExceeded('seconds', seconds, seconds)))
    try {
      signal?.throwIfAborted()
      worker.postMessage(channels.start, [channels.start.answers, channels.start.promises])
      return { worker, value: await ended.promise }
    } catch (error) {
      throw { worker, error } satisfies Failed
    } finally {
      watch.stop()
      channels.close()
      signal?.removeEventListener('abort', onAbort)
      worker.off('error', onError).off('exit', onExit).off('message', onMessage)
    }
  }

  return {
    run(task, options) {
      const done = Promise.withResolvers<unknown>()
      line.add({ task, options, done }, placeOf(options))
      next()
      return done.promise
    },
    async close() {
      await Promise.all([...all].map(worker => worker.terminate()))
    },
  }
}

/** Tasks have tenants only. */
const placeOf = ({ group }: Waiting['options']): Place => ({ tenant: group, group: '' })

interface Finished {
  readonly worker: Worker
  readonly value: unknown
}

interface Failed {
  readonly worker: Worker
  readonly error: unknown
}

/** Limits a task's processor time rather than its duration, since other processes may keep the machine busy. */
const watchProcessor = (worker: Worker, seconds: number, onExceeded: () => void): { stop(): void } => {
  let before: NodeJS.CpuUsage | undefined
  const sample = async (): Promise<void> => {
    const now = await worker.cpuUsage().catch(() => undefined)
    if (!now) return
    before ??= now
    if ((now.user + now.system - before.user - before.system) / 1e6 > seconds) onExceeded()
  }
  const timer = setInterval(() => void sample(), watchMs).unref()
  return { stop: () => clearInterval(timer) }
}

/** Channels for a task's questions, answered by this thread. */
const openChannels = ({
  name,
  input,
  answers = {},
  promises = {},
}: OffThreadTask): { readonly start: StartMessage; close(): void } => {
  const [direct, later] = [new MessageChannel(), new MessageChannel()]
  const answered = new SharedArrayBuffer(4)
  const flag = new Int32Array(answered)
  answering(direct.port1, answers, () => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  })
  answering(later.port1, promises, () => {})
  return {
    start: { name, input, answers: direct.port2, promises: later.port2, answered },
    close: () => {
      direct.port1.close()
      later.port1.close()
    },
  }
}

const answering = (port: MessagePort, answers: Answers, onAnswered: () => void): void => {
  port.on('message', async ({ id, question, args }: Question) => {
    const answer = answers[question]
    try {
      if (!answer) throw new TypeError(`unknown question ${question}`)
      port.postMessage({ id, value: sentValue(await answer(...args)) } satisfies OutcomeMessage)
    } catch (error) {
      port.postMessage({ id, error: sentError(error) } satisfies OutcomeMessage)
    }
    onAnswered()
  })
}
