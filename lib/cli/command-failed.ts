/** An error that the user can fix: shown as one line, without a stack trace; the process ends with `exitCode`. */
export class CommandFailed extends Error {
  readonly exitCode: number
  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'CommandFailed'
    this.exitCode = options.exitCode ?? 1
  }
}
