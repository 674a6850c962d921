/** A thread of its own for work that may take long: what goes on here meanwhile is not held up, and survives it. */
export interface OffThread {
  /**
   * Does a task, known by name on the other side. Input and result are copied. Fails with the task's own error; with BudgetExceeded when
   * it takes more of a processor's time or of memory than a task may. Ends early, with the signal's reason, when the signal is aborted.
   */
  run(task: OffThreadTask, options: OffThreadOptions): Promise<unknown>
}

export interface OffThreadTask {
  readonly name: string
  readonly input: unknown
  /** What the task may ask of this thread, if anything. It stands still until it has the answer. */
  readonly answers?: Answers
  /** What it may ask for and go on meanwhile, if anything. */
  readonly promises?: Answers
}

/** By what is asked for. */
// biome-ignore lint/suspicious/noExplicitAny: what is passed between threads is as typed as the task's two ends make it
export type Answers = Readonly<Record<string, (...args: any[]) => unknown>>

export interface OffThreadOptions {
  /** Groups take turns, so that one with many tasks doesn't hold up the others: a namespace. */
  readonly group: string
  readonly signal?: AbortSignal | undefined
}

/** What a task sees of the thread that gave it away. */
export interface Asking {
  /** Waits for the answer, with everything. */
  ask(question: string, ...args: unknown[]): unknown
  askLater(question: string, ...args: unknown[]): Promise<unknown>
}

/** The tasks that a thread can do, by name. */
export type OffThreadTasks = Readonly<Record<string, (input: never, asking: Asking) => unknown>>
