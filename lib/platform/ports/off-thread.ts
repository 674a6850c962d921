/** Runs work that may take long on another thread: this one stays responsive, and survives if that one ends. */
export interface OffThread {
  /**
   * Runs the task that the other thread knows by this name. Input and result are copied. Fails with the task's own error, with BudgetExceeded if it
   * exceeds the processor time or memory of a task, and with the signal's reason as soon as the signal aborts.
   */
  run(task: OffThreadTask, options: OffThreadOptions): Promise<unknown>
}

export interface OffThreadTask {
  readonly name: string
  readonly input: unknown
  /** What the task may ask this thread. The task blocks until it has the answer. */
  readonly answers?: Answers
  /** What the task may ask this thread asynchronously. */
  readonly promises?: Answers
}

/** By question. */
// biome-ignore lint/suspicious/noExplicitAny: what is passed between threads is as typed as the task's two ends make it
export type Answers = Readonly<Record<string, (...args: any[]) => unknown>>

export interface OffThreadOptions {
  /** Groups (namespaces) take turns, so that one with many tasks does not delay the others. */
  readonly group: string
  readonly signal?: AbortSignal | undefined
}

/** The questions that a task may put to the thread that started it. */
export interface Asking {
  /** Blocks the whole thread until the answer arrives. */
  ask(question: string, ...args: unknown[]): unknown
  askLater(question: string, ...args: unknown[]): Promise<unknown>
}

/** The tasks of a thread, by name. */
export type OffThreadTasks = Readonly<Record<string, (input: never, asking: Asking) => unknown>>
