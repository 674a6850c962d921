import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { BudgetExceeded } from '../../../foundations/budget/budget.ts'
import type { CallHandlers, OffThread, OffThreadOptions, OffThreadTask } from '../../ports/off-thread.ts'
import { type FairnessKey, fairQueue } from './fair-queue.ts'
import {
  type CallMessage,
  deserializedError,
  type OutcomeMessage,
  type StartMessage,
  serializedError,
  transferable,
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
  const waitingTasks = fairQueue<Waiting>()
  const idle = new Map<Worker, NodeJS.Timeout>()
  const all = new Set<Worker>()
  let busy = 0

  const startWorker = (): Worker => {
    const worker = new Worker(entry, {
      // Builds must not see this process's environment.
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

  const acquire = (): Worker => {
    const [known] = idle
    if (!known) return startWorker()
    const [worker, timer] = known
    clearTimeout(timer)
    idle.delete(worker)
    worker.ref()
    return worker
  }

  const release = (worker: Worker): void => {
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
      const waiting = waitingTasks.take({ perTenant: size, perGroup: size })
      if (!waiting) return
      busy++
      runTask(acquire(), waiting)
        .then(
          ({ worker, value }) => {
            release(worker)
            waiting.done.resolve(value)
          },
          ({ worker, error }: Failed) => {
            release(worker)
            waiting.done.reject(error)
          },
        )
        .finally(() => {
          busy--
          waitingTasks.done(fairnessKeyOf(waiting.options))
          next()
        })
    }
  }

  const runTask = async (worker: Worker, { task, options: { signal } }: Waiting): Promise<Finished> => {
    const ended = Promise.withResolvers<unknown>()
    const abort = (reason: unknown): void => {
      ended.reject(reason)
      all.delete(worker)
      void worker.terminate()
    }
    const onAbort = (): void => abort(signal!.reason)
    const onError = (error: Error & { readonly code?: string }): void =>
      abort(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new BudgetExceeded('megabytes', megabytes, megabytes) : error)
    const onExit = (code: number): void => abort(new Error(`the worker ended with code ${code}`))
    const onMessage = (outcome: OutcomeMessage): void =>
      outcome.error ? ended.reject(deserializedError(outcome.error)) : ended.resolve(outcome.value)
    const channels = openChannels(task)
    signal?.addEventListener('abort', onAbort)
    worker.on('error', onError).on('exit', onExit).on('message', onMessage)
    const watch = watchProcessor(worker, seconds, () => abort(new BudgetExceeded('seconds', seconds, seconds)))
    try {
      signal?.throwIfAborted()
      worker.postMessage(channels.start, [channels.start.syncCalls, channels.start.asyncCalls])
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
      waitingTasks.add({ task, options, done }, fairnessKeyOf(options))
      next()
      return done.promise
    },
    async close() {
      await Promise.all([...all].map(worker => worker.terminate()))
    },
  }
}

/** Tasks have tenants only. */
const fairnessKeyOf = ({ group }: Waiting['options']): FairnessKey => ({ tenant: group, group: '' })

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

/** Channels for a task's calls to this thread. */
const openChannels = ({
  name,
  input,
  syncCalls = {},
  asyncCalls = {},
}: OffThreadTask): { readonly start: StartMessage; close(): void } => {
  const [syncChannel, asyncChannel] = [new MessageChannel(), new MessageChannel()]
  const responded = new SharedArrayBuffer(4)
  const flag = new Int32Array(responded)
  serveCalls(syncChannel.port1, syncCalls, () => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  })
  serveCalls(asyncChannel.port1, asyncCalls, () => {})
  return {
    start: { name, input, syncCalls: syncChannel.port2, asyncCalls: asyncChannel.port2, responded },
    close: () => {
      syncChannel.port1.close()
      asyncChannel.port1.close()
    },
  }
}

const serveCalls = (port: MessagePort, handlers: CallHandlers, onResponse: () => void): void => {
  port.on('message', async ({ id, method, args }: CallMessage) => {
    const handler = handlers[method]
    try {
      if (!handler) throw new TypeError(`unknown method ${method}`)
      port.postMessage({ id, value: transferable(await handler(...args)) } satisfies OutcomeMessage)
    } catch (error) {
      port.postMessage({ id, error: serializedError(error) } satisfies OutcomeMessage)
    }
    onResponse()
  })
}
