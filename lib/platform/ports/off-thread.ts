/** Runs long work on another thread: this one stays responsive, and survives if the other one ends. */
export interface OffThread {
  /**
   * Runs the task that is registered on the other thread under this name. Input and result are copied. Fails with the
   * task's own error, with BudgetExceeded if it exceeds the processor time or memory of a task, and with the signal's
   * reason as soon as the signal aborts.
   */
  run(task: OffThreadTask, options: OffThreadOptions): Promise<unknown>
}

export interface OffThreadTask {
  readonly name: string
  readonly input: unknown
  /** Functions of this thread that the task may call. The task blocks until the call returns. */
  readonly syncCalls?: CallHandlers
  /** Functions of this thread that the task may call asynchronously. */
  readonly asyncCalls?: CallHandlers
}

/** By method. */
// biome-ignore lint/suspicious/noExplicitAny: what is passed between threads is as typed as the task's two ends make it
export type CallHandlers = Readonly<Record<string, (...args: any[]) => unknown>>

export interface OffThreadOptions {
  /** Groups (namespaces) take turns, so that one with many tasks does not delay the others. */
  readonly group: string
  readonly signal?: AbortSignal | undefined
}

/** The calls that a task may make to the thread that started it. */
export interface Caller {
  /** Blocks the whole thread until the result arrives. */
  callSync(method: string, ...args: unknown[]): unknown
  callAsync(method: string, ...args: unknown[]): Promise<unknown>
}

/** The tasks of a thread, by name. */
export type OffThreadTasks = Readonly<Record<string, (input: never, caller: Caller) => unknown>>
